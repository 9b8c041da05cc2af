import type { OpenOutcome } from "../../domain/onboarding/batch/batch-rows.js";
import type {
  AdoptedRow,
  CarriedCustomer,
  CustomerRef,
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

/** The same onboarding, followed from now on for a row that had its outcomes: the deadline and the looks stay. */
export function inheritedBy(
  { watcher, version }: AdoptedRow,
  { carried, ...input }: CustomerInput & { readonly carried: CarriedCustomer },
): CustomerInput {
  const { open: _, sink = input.sink, latch = input.latch, ...row } = watcher;
  const { progress, mail, watchers } = carried;
  const { course, written } = progress;
  return {
    ...{ ...input, ...row, sink, latch },
    carried: {
      ...carried,
      progress: { ...progress, course: { ...course, version }, written: { ...written, version } },
      mail: { ...mail, stopped: false },
      watchers: { ...watchers, adopted: watchers.adopted.slice(1) },
    },
  };
}
