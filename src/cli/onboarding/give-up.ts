import type { Client } from "@temporalio/client";
import { playbookKeyOf } from "../../domain/onboarding/identity.js";
import { signalStop } from "../../intake/onboarding/stop-customers.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { StagingLostError } from "../../lake/staging-lost-error.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { giveUpRun } from "../../temporal/give-up.js";
import type { JobSession } from "../session/job-session.js";

/**
 * How long a cancelled batch may make no progress. A customer's step has fifteen seconds to end, and in synchronous mode
 * the thirty of a decision too (docs/use/onboarding.md, "What stops a batch").
 */
const CANCEL_MS = 60_000;
const ROWS_AT_ONCE = 500;

/** Gives up a batch's run; its customers continue, unless `cleanUp` stops them. */
export function giveUpBatch(
  { temporal: { client }, signal }: JobSession,
  run: StartedRun,
  cleanUp: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return giveUpRun(client, run, cleanUp, { cancelMs: CANCEL_MS, signal });
}

/** Stops the customers of a batch, as a cancelled batch does. A batch that lost its staging knows no customers. */
export async function stopBatchCustomers(
  client: Client,
  sealed: SealedStore,
  { scope, batchId }: { readonly scope: string; readonly batchId: string },
): Promise<void> {
  const batches = new FrozenBatches(sealed);
  try {
    const { playbook, rows } = await batches.require(batchId);
    const playbookKey = playbookKeyOf(playbook);
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const to = Math.min(rows, from + ROWS_AT_ONCE);
      await signalStop(client, batches, { scope, playbookKey, batchId, from, to });
    }
  } catch (error) {
    if (!(error instanceof StagingLostError)) throw error;
  }
}
