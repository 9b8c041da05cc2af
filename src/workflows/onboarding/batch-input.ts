import type { BatchState } from "../../domain/onboarding/batch/batch-state.js";
import type { BatchRunInput } from "../../domain/onboarding/batch/started-batch.js";

/** What a batch's workflow is given; `carried` by the execution before. */
export interface OnboardBatchInput extends BatchRunInput {
  readonly carried?: BatchState;
}
