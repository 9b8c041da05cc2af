import type { BatchRunInput, RowToRun } from "../batch/batch-rows.js";
import { type CustomerState, lacksOutput } from "./customer-state.js";
import type { CustomerRef } from "./customer-step.js";

/** An open row as its batch hands it over; nothing personal. */
export interface CustomerInput
  extends CustomerRef,
    Pick<RowToRun, "prepare" | "open">,
    Pick<BatchRunInput, "syncTimeoutSecs" | "plainOutput" | "timing"> {
  readonly batchWorkflowId: string;
  readonly outputExpected: boolean;
}

/** Which customer it is, for the steps. */
export function refOf(input: CustomerInput): CustomerRef {
  const { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink } = input;
  return { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink };
}

/** Whether an output may follow that the playbook had not reached when it decided. */
export function isOutputAwaited(
  { outputExpected, open, timing }: CustomerInput,
  state: CustomerState,
): boolean {
  return outputExpected && open === null && timing.outputRetries.length > 0 && lacksOutput(state);
}
