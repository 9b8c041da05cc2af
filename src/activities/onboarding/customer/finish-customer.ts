import type {
  CustomerStep,
  CustomerStepInput,
  StepFailure,
} from "../../../domain/onboarding/customer/customer-step.js";
import { outcomeEvent } from "../../../domain/onboarding/outcome.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";

interface FinishCustomerInput extends CustomerStepInput {
  /** What happened, for `onboarding_events`. */
  readonly event: string;
  /** What ended a row that could not run; null where nothing failed. */
  readonly failure: StepFailure | null;
}

/** Stages the outcome of a state that changed without the service: by a deadline, a stop, a failure of our own. */
export async function finishCustomer(
  deps: OnboardingDependencies,
  { event, failure, ...input }: FinishCustomerInput,
): Promise<CustomerStep> {
  const events = [outcomeEvent(event, input.state.status)];
  const staged = await stageOutcome(deps, input, input.state, { ...failure, events });
  return { ...staged, link: null, unauthorized: false, calls: 0 };
}
