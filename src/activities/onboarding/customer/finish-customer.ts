import type { CustomerStep, CustomerStepInput } from "../../../domain/onboarding/customer/customer-step.js";
import type { OutcomeEvent } from "../../../domain/onboarding/outcome.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";

interface FinishCustomerInput extends CustomerStepInput {
  /** What happened, for `onboarding_events`. */
  readonly event: string;
  /** What ended a row that could not run; null where nothing went wrong. */
  readonly failure: { readonly error_class: string; readonly error_message: string } | null;
}

/** Stages the outcome of a state that ended without the service: a deadline, a stop, a failure of our own. */
export async function finishCustomer(
  deps: OnboardingDependencies,
  input: FinishCustomerInput,
): Promise<CustomerStep> {
  return withHeartbeat(async () => {
    const event: OutcomeEvent = {
      event: input.event,
      status: input.state.status,
      message_id: null,
      at: new Date().toISOString(),
      detail: null,
    };
    const staged = await stageOutcome(deps, input, input.state, { ...input.failure, events: [event] });
    return { ...staged, link: null, unauthorized: false, calls: 0 };
  });
}
