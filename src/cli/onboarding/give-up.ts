import type { Client } from "@temporalio/client";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { isRight } from "../../domain/onboarding/frozen-row.js";
import { customerWorkflowId, playbookKeyOf } from "../../domain/onboarding/identity.js";
import { CUSTOMER_SIGNALS } from "../../domain/onboarding/messages.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { StagingLostError } from "../../lake/staging-lost-error.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { giveUpRun } from "../../temporal/give-up.js";
import { signalRunning } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";

/**
 * How long a cancelled batch may stand still: a customer's step has fifteen seconds more, and in synchronous mode the
 * thirty of a decision (docs/use/onboarding.md, "What stops a batch").
 */
const CANCEL_MS = 60_000;

const ROWS_AT_ONCE = 500;
const TOLD_AT_ONCE = 8;

/** Gives up a batch's run, whose customers are left to go on, or are stopped where `stopCustomers` does it. */
export function giveUpBatch(
  { temporal: { client }, signal }: JobSession,
  run: StartedRun,
  stopCustomers: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return giveUpRun(client, run, stopCustomers, { cancelMs: CANCEL_MS, signal });
}

/** Stops the customers of a batch, as a cancelled batch does: of one that lost its staging nobody knows them. */
export async function stopBatchCustomers(
  client: Client,
  sealed: SealedStore,
  { scope, batchId }: { readonly scope: string; readonly batchId: string },
): Promise<void> {
  const batches = new FrozenBatches(sealed);
  try {
    const { playbook, rows } = await batches.require(batchId);
    const key = playbookKeyOf(playbook);
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const part = await batches.rows(batchId, from, Math.min(rows, from + ROWS_AT_ONCE));
      await mapConcurrent(TOLD_AT_ONCE, part.filter(isRight), ({ identityHash }) =>
        signalRunning(client, customerWorkflowId(scope, key, identityHash), CUSTOMER_SIGNALS.stop, {
          batchId,
        }),
      );
    }
  } catch (error) {
    if (!(error instanceof StagingLostError)) throw error;
  }
}
