import { hash } from "node:crypto";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-rows.js";
import { type CustomerState, isOutcomeDue } from "../../../domain/onboarding/customer/customer-state.js";
import { newOutcome, type OutcomeFacts, troubleOf } from "../../../domain/onboarding/customer/new-outcome.js";
import type { OpenCustomer } from "../../../domain/onboarding/customer/open-customer.js";
import type { Outcome } from "../../../domain/onboarding/outcome.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "../dependencies.js";

interface UnstagedRow extends Pick<OpenCustomer, "recorded">, Partial<Pick<OpenCustomer, "deadline">> {
  readonly input: Pick<CustomerInput, "batchId" | "row" | "line" | "attempt" | "rowKey" | "startedAt">;
}

/** Stages the outcome of a state, sealed, where a new version is due. */
export async function stageOutcome(
  { batches, sealed }: OnboardingDependencies,
  { input, recorded, deadline }: UnstagedRow,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<{
  readonly state: CustomerState;
  readonly outcome?: Outcome;
  readonly messageHash?: string | null;
}> {
  if (!isOutcomeDue(recorded, state)) return { state };
  const { batchId, row } = input;
  const { customer } = await batches.row(batchId, row);
  const { playbook } = await batches.require(batchId);
  const { version } = state;
  const prior =
    version === 0 ? undefined : await keptOutcome(sealed, batchId, { ...input, version }).require();
  const next = { ...state, version: version + 1 };
  const outcome = newOutcome(input, next, facts, { customer, deadline, prior, playbook });
  await keptOutcome(sealed, batchId, outcome).put(outcome);
  const trouble = troubleOf(outcome, facts, customer);
  const messageHash = trouble === null ? null : hash("sha256", trouble).slice(0, 16);
  return { state: next, outcome, messageHash };
}
