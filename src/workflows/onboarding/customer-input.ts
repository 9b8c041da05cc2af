import type { OpenOutcome } from "../../domain/onboarding/batch/batch-rows.js";
import { type CustomerState, lacksOutput } from "../../domain/onboarding/customer/customer-state.js";
import type {
  CarriedCustomer,
  CustomerRef,
  ReusedRow,
} from "../../domain/onboarding/customer/customer-step.js";
import type { OnboardingTiming } from "../../domain/onboarding/timing.js";

/** What a customer's workflow is started with, without anything personal. */
export interface CustomerInput extends CustomerRef {
  readonly batchWorkflowId: string;
  /** Whether the vault must be written, documents uploaded or a business made first. */
  readonly prepare: boolean;
  readonly open: OpenOutcome | null;
  readonly syncTimeoutSecs: number | null;
  readonly plainOutput: boolean;
  /** Whether an output that is missing is asked for again. */
  readonly outputExpected: boolean;
  readonly timing: OnboardingTiming;
  /** Left out at its beginning. */
  readonly carried?: CarriedCustomer;
}

/** Which customer it is, for its activities. */
export function refOf(input: CustomerInput): CustomerRef {
  const { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink } = input;
  return { batchId, runId, row, line, attempt, rowKey, latch, retry, before, startedAt, sink };
}

/** The same onboarding, followed from now on for a row that had its outcomes: the deadline and the polls stay. */
export function inheritedBy(
  { waiter, version }: ReusedRow,
  { carried, ...input }: CustomerInput & { readonly carried: CarriedCustomer },
): CustomerInput {
  const { open: _, sink = input.sink, latch = input.latch, ...row } = waiter;
  const { progress, mail, waiters } = carried;
  const { state, recorded } = progress;
  return {
    ...input,
    ...row,
    sink,
    latch,
    carried: {
      ...carried,
      progress: { ...progress, state: { ...state, version }, recorded: { ...recorded, version } },
      mail: { ...mail, stopped: false },
      waiters: { ...waiters, reused: waiters.reused.slice(1) },
    },
  };
}

/** Whether the playbook may have an output that it had not reached when it decided. */
export function isOutputAwaited(
  { outputExpected, open, timing }: CustomerInput,
  state: CustomerState,
): boolean {
  return outputExpected && open === null && timing.outputRetries.length > 0 && lacksOutput(state);
}
