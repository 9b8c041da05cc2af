import type { NewRun } from "../../run.js";
import type { OnboardingTiming } from "../timing.js";
import type { BatchState } from "./batch-state.js";

/** What a batch's workflow is started with; nothing personal, the rows are frozen. */
export interface BatchRunInput extends NewRun {
  readonly batchId: string;
  readonly scope: string;
  /** Without its version tag. */
  readonly playbookKey: string;
  /** Rows of the file that may run. */
  readonly upTo: number;
  /** Seconds for a decision; null where it comes later (docs/reference/service.md, "Onboarding creation"). */
  readonly syncTimeoutSecs: number | null;
  /** Customers in work at once. */
  readonly window: number;
  /** Equal error messages in a row that pause the batch; 0 for never. */
  readonly circuit: number;
  readonly retry: boolean;
  readonly sink: boolean;
  /** Whether `output` is in the table in the clear. */
  readonly plainOutput: boolean;
  readonly timing: OnboardingTiming;
  /** Customers after which it continues as new; left out, a few hundred. */
  readonly startsPerExecution?: number;
  /** The command's options, for the table `runs`. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
}

/** What one execution of a batch's workflow is given; `carried` by the execution before. */
export interface OnboardBatchInput extends BatchRunInput {
  readonly carried?: BatchState;
}
