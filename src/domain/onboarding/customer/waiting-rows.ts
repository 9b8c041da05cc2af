import type { CustomerInput } from "../batch/batch-rows.js";
import type { OutcomeName } from "../outcome.js";
import { saysTheSame } from "../verdict.js";
import { type CustomerState, rowVerdict } from "./customer-state.js";

/** A row of another batch that reuses this customer's outcomes. */
export interface ReusedRow {
  readonly waiter: CustomerInput;
  readonly version: number;
}

type RowIdentity = Pick<CustomerInput, "batchId" | "line" | "attempt">;

/** The customer that rows wait for, once its own row is processed. */
export interface ProcessedCustomer {
  readonly row: RowIdentity & Pick<CustomerInput, "rowKey">;
  readonly state: CustomerState;
  /** The row was stopped for its own batch only; others run the row themselves and find its kept answer. */
  readonly endIsOwn: boolean;
}

type WaiterDecision =
  /** It waits until the customer is free. */
  | "wait"
  /** It gets an outcome. */
  | {
      /** The outcome to copy as the row's; null where the row has one. */
      readonly copy: OutcomeName | null;
      /** Of the row's own outcome. */
      readonly version: number;
      /** Whether it gets later versions too. */
      readonly reuses: boolean;
    };

/** The same row, to the last value, gets this customer's outcomes and posts nothing; others wait until it is free. */
export function decideWaiter(
  waiter: CustomerInput,
  { row, state, endIsOwn }: ProcessedCustomer,
  reused: readonly ReusedRow[],
): WaiterDecision {
  const { open } = waiter;
  if (waiter.rowKey !== row.rowKey) return "wait";
  // A later run of its batch: the row has its outcome.
  if (isSameRow(waiter, row)) return { copy: null, version: 1, reuses: false };
  // Nor is it the outcome of a row that runs again for this very onboarding.
  if (endIsOwn || (waiter.retry && waiter.before === state.onboardingId)) return "wait";
  const reuses = !reused.some((one) => isSameRow(one.waiter, waiter));
  const has = open !== null && saysTheSame(open, rowVerdict(state));
  if (!reuses || has) return { copy: null, version: open?.version ?? 1, reuses };
  const copy = { line: row.line, attempt: row.attempt, version: state.version };
  return { copy, version: (open?.version ?? 0) + 1, reuses };
}

/** Whether both are the same row of one batch. */
function isSameRow(a: RowIdentity, b: RowIdentity): boolean {
  return a.batchId === b.batchId && a.line === b.line && a.attempt === b.attempt;
}
