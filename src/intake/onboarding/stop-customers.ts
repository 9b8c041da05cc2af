import type { Client } from "@temporalio/client";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { isRight } from "../../domain/onboarding/frozen-row.js";
import { customerWorkflowId } from "../../domain/onboarding/identity.js";
import { CUSTOMER_SIGNALS } from "../../domain/onboarding/messages.js";
import type { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { signalRunning } from "../../temporal/running-workflows.js";

const SIGNALLED_AT_ONCE = 8;

/** Rows `[from, to)` of a batch, and where their customers run. */
export interface CustomersToStop {
  readonly scope: string;
  /** Without its version tag. */
  readonly playbookKey: string;
  readonly batchId: string;
  readonly from: number;
  readonly to: number;
}

/** Tells customers of a cancelled batch whose workflows still run to stop; a posted row keeps its last status. */
export async function signalStop(
  client: Client,
  batches: FrozenBatches,
  { scope, playbookKey, batchId, from, to }: CustomersToStop,
): Promise<void> {
  const rows = await batches.rows(batchId, from, to);
  await mapConcurrent(SIGNALLED_AT_ONCE, rows.filter(isRight), ({ identityHash }) => {
    const id = customerWorkflowId(scope, playbookKey, identityHash);
    return signalRunning(client, id, CUSTOMER_SIGNALS.stop, { batchId });
  });
}
