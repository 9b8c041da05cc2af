import type { Onboarding } from "../../../api/schemas/onboarding.js";
import type { CustomerState, OnboardingReport } from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerStep, CustomerStepInput } from "../../../domain/onboarding/customer/customer-step.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import type { CountedCalls } from "../../counted-calls.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";
import { offerLink } from "./deliver-continuation.js";

/** What the service answers about an onboarding, whatever the request was. */
type Answer = Pick<
  Onboarding,
  "id" | "status" | "requires_manual_review" | "output" | "error_message" | "continue_onboarding"
>;

/** Makes the step of an answer: offers its continuation, and stages the outcome of the resulting state. */
export async function answeredStep(
  { deps, calls }: CountedCalls<OnboardingDependencies>,
  input: CustomerStepInput,
  answered: CustomerState,
  answer: Answer | null,
  facts: OutcomeFacts,
): Promise<CustomerStep> {
  const { state, link } = await offerLink(deps, input, answered, answer?.continue_onboarding);
  const staged = await stageOutcome(deps, input, state, { answer, ...facts });
  return { ...staged, link, unauthorized: false, calls };
}

/** What an answer says of the onboarding's state. */
export function reportOf({ id, status, requires_manual_review, output }: Answer): OnboardingReport {
  return {
    onboardingId: id ?? null,
    status: status ?? null,
    requiresManualReview: requires_manual_review ?? null,
    hasOutput: output != null,
  };
}
