import type { CarriedBatch } from "../../domain/onboarding/batch/batch-rows.js";
import type { BatchRunInput } from "../../domain/onboarding/batch/started-batch.js";

/** What a batch's workflow is given. */
export interface OnboardBatchInput extends BatchRunInput {
  readonly carried?: CarriedBatch;
}
