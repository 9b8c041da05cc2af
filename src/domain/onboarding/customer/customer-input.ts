import type { RowToRun } from "../batch/batch-rows.js";
import type { BatchRunInput } from "../batch/started-batch.js";
import type { CarriedCustomer } from "./customer-progress.js";
import { type CustomerState, lacksOutput } from "./customer-state.js";
import type { CustomerRef } from "./customer-step.js";
import { type ReusedRow, successorOf } from "./waiting-rows.js";

/** What a customer's workflow is started with; nothing personal. */
export interface CustomerInput
  extends CustomerRef,
    Pick<RowToRun, "prepare" | "open">,
    Pick<BatchRunInput, "syncTimeoutSecs" | "plainOutput" | "timing"> {
  readonly batchWorkflowId: string;
  readonly outputExpected: boolean;
  /** By the execution before. */
  readonly carried?: CarriedCustomer;
}

/** Which customer it is, for its activities. */
export function refOf(input: CustomerInput): CustomerRef {
  const { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink } = input;
  return { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink };
}

/** What the next execution continues with: this row, or the one that is not stopped with it. */
export function nextInput(input: CustomerInput, carried: CarriedCustomer): CustomerInput {
  const successor = carried.mail.stopped ? successorOf(carried.waiters) : undefined;
  return successor === undefined ? { ...input, carried } : inheritedBy(successor, input, carried);
}

/** The same onboarding for a row that has reused its outcomes: the deadline and the polls stay. */
function inheritedBy(
  { waiter, version }: ReusedRow,
  input: CustomerInput,
  { progress, polls, mail, waiters }: CarriedCustomer,
): CustomerInput {
  const { open: _, sink = input.sink, latch = input.latch, ...row } = waiter;
  const { state, recorded } = progress;
  return {
    ...input,
    ...row,
    sink,
    latch,
    carried: {
      polls,
      progress: { ...progress, state: { ...state, version }, recorded: { ...recorded, version } },
      mail: { ...mail, stopped: false },
      waiters: { ...waiters, reused: waiters.reused.slice(1) },
    },
  };
}

/** Whether an output may follow that the playbook had not reached when it decided. */
export function isOutputAwaited(
  { outputExpected, open, timing }: CustomerInput,
  state: CustomerState,
): boolean {
  return outputExpected && open === null && timing.outputRetries.length > 0 && lacksOutput(state);
}
