import type { OpenOutcome } from "../../domain/onboarding/batch-report.js";
import type { CarriedCustomer } from "../../domain/onboarding/carried-customer.js";
import type { CustomerRef } from "../../domain/onboarding/customer-step.js";
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
