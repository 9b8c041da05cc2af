import { hash } from "node:crypto";
import { type CustomerState, isOutcomeDue } from "../../domain/onboarding/customer/customer-state.js";
import type {
  CustomerRef,
  CustomerStepInput,
  StagedState,
} from "../../domain/onboarding/customer/customer-step.js";
import { newOutcome, type OutcomeFacts, troubleOf } from "../../domain/onboarding/customer/new-outcome.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "./dependencies.js";

/** Stages the outcome of a state, sealed, where a new version is due; the returned state has that version. */
export async function stageOutcome(
  { batches, sealed }: OnboardingDependencies,
  { recorded, ...ref }: CustomerRef & Pick<CustomerStepInput, "recorded">,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<StagedState> {
  if (!isOutcomeDue(recorded, state)) return { state, outcome: null, messageHash: null };
  const { batchId, row, line, attempt } = ref;
  const { customer } = await batches.row(batchId, row);
  const { playbook } = await batches.require(batchId);
  const { version } = state;
  const prior = version === 0 ? undefined : await getOutcome(sealed, batchId, { line, attempt, version });
  const next = { ...state, version: version + 1 };
  const outcome = newOutcome(ref, next, facts, { customer, prior, playbook });
  await putOutcome(sealed, batchId, outcome);
  const trouble = troubleOf(outcome, facts, customer);
  return {
    state: next,
    outcome: { row, line, attempt, version: next.version },
    messageHash: trouble === null ? null : hash("sha256", trouble).slice(0, 16),
  };
}
