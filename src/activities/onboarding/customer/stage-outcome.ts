import { hash } from "node:crypto";
import type { Onboarding } from "../../../api/schemas/onboarding.js";
import type { SentCalls } from "../../../domain/counts.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-rows.js";
import {
  type CustomerState,
  isOutcomeDue,
  type OnboardingReport,
} from "../../../domain/onboarding/customer/customer-state.js";
import { newOutcome, type OutcomeFacts, troubleOf } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  type CustomerStep,
  type OpenCustomer,
  waitedUntil,
} from "../../../domain/onboarding/customer/open-customer.js";
import { saidIn } from "../../../domain/onboarding/verdict.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { offerLink } from "./deliver-continuation.js";

type NamedRow = Pick<CustomerInput, "batchId" | "row" | "line" | "attempt" | "rowKey" | "startedAt">;

/** A row as it was; one that never runs has no deadline. */
interface UnstagedRow extends Pick<OpenCustomer, "recorded">, Partial<Pick<OpenCustomer, "deadline">> {
  readonly input: NamedRow;
}

/** Stages the outcome of a state, sealed, where a new version is due; the returned state has that version. */
export async function stageOutcome(
  { batches, sealed }: OnboardingDependencies,
  { input, recorded, deadline }: UnstagedRow,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<Pick<CustomerStep, "state" | "outcome" | "messageHash">> {
  if (!isOutcomeDue(recorded, state)) return { state };
  const { batchId, row, line, attempt } = input;
  const { customer } = await batches.row(batchId, row);
  const { playbook } = await batches.require(batchId);
  const { version } = state;
  const before = keptOutcome(sealed, batchId, { line, attempt, version });
  const prior = version === 0 ? undefined : await before.require();
  const next = { ...state, version: version + 1 };
  const outcome = newOutcome(input, next, facts, { customer, deadline, prior, playbook });
  await keptOutcome(sealed, batchId, outcome).put(outcome);
  const trouble = troubleOf(outcome, facts, customer);
  return {
    state: next,
    outcome,
    messageHash: trouble === null ? null : hash("sha256", trouble).slice(0, 16),
  };
}

/** What the service answers about an onboarding, whatever the request was. */
type Answer = Pick<Onboarding, "id" | "output" | "error_message" | "continue_onboarding"> &
  Parameters<typeof saidIn>[0];

/** Makes the step of an answer: offers its continuation, and stages the outcome of the resulting state. */
export async function answeredStep(
  deps: OnboardingDependencies,
  one: OpenCustomer,
  answered: CustomerState,
  answer: Answer | null,
  facts: OutcomeFacts,
): Promise<Omit<CustomerStep, keyof SentCalls>> {
  const { state, link } = await offerLink(deps, one.input, answered, answer?.continue_onboarding);
  const row = { ...one, deadline: waitedUntil(one, state, Date.now()) };
  const staged = await stageOutcome(deps, row, state, { answer, ...facts });
  return { ...staged, ...(link && { link }) };
}

export function reportOf(answer: Answer): OnboardingReport {
  return {
    ...saidIn(answer),
    onboardingId: answer.id ?? null,
    hasOutput: answer.output != null,
  };
}
