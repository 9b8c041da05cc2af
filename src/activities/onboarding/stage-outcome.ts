import { createHash } from "node:crypto";
import type { OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import {
  type CustomerState,
  isOutcomeDue,
  rowStatus,
} from "../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef, CustomerStepInput } from "../../domain/onboarding/customer/customer-step.js";
import { onboardingErrorClass } from "../../domain/onboarding/customer/error-class.js";
import { nextActionOf } from "../../domain/onboarding/customer/next-action.js";
import { type CustomerRow, valuesOf } from "../../domain/onboarding/customer.js";
import { playbookVersionOf } from "../../domain/onboarding/identity.js";
import { namesOf, type Outcome } from "../../domain/onboarding/outcome.js";
import { isDecision } from "../../domain/service/onboarding-status.js";
import { withoutValues } from "../../domain/service/quoted-values.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/staged-outcomes.js";
import type { OnboardingDependencies } from "./dependencies.js";

/** What the service's answer says for an outcome; left out, what the version before said stays. */
interface ServiceAnswer {
  readonly output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly error_message?: string | null | undefined;
}

/** What an outcome says besides its state. */
interface OutcomeFacts
  extends Partial<Pick<Outcome, "fp_bid" | "error_class" | "error_message" | "next_action" | "events">> {
  /** None where the service was not asked, or did not answer. */
  readonly answer?: ServiceAnswer | null;
  /** What the row suffers from, the same for every row that does; left out, the message says it. */
  readonly trouble?: string;
}

/** A state with the outcome that was staged for it. */
interface StagedState {
  readonly state: CustomerState;
  readonly outcome: OutcomeRef | null;
  readonly messageHash: string | null;
}

/** Stages the outcome of a state, sealed, where it says something new; `state` then has its version. */
export async function stageOutcome(
  deps: OnboardingDependencies,
  { recorded, ...ref }: CustomerRef & Pick<CustomerStepInput, "recorded">,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<StagedState> {
  if (!isOutcomeDue(recorded, state)) return { state, outcome: null, messageHash: null };
  const { customer } = await deps.batches.row(ref.batchId, ref.row);
  const version = state.version + 1;
  const name = { line: ref.line, attempt: ref.attempt };
  const prior =
    state.version === 0
      ? undefined
      : await getOutcome(deps.sealed, ref.batchId, { ...name, version: state.version });
  const { playbook } = await deps.batches.require(ref.batchId);
  const outcome = outcomeOf(ref, { ...state, version }, facts, { customer, prior, playbook });
  await putOutcome(deps.sealed, ref.batchId, outcome);
  return {
    state: { ...state, version },
    outcome: { row: ref.row, ...name, version },
    messageHash: hashOf(outcome, facts.trouble ?? wordsOf(outcome.error_message ?? "", customer)),
  };
}

interface Known {
  readonly customer: CustomerRow;
  readonly prior: Outcome | undefined;
  readonly playbook: string;
}

function outcomeOf(
  ref: CustomerRef,
  state: CustomerState,
  facts: OutcomeFacts,
  { customer, prior, playbook }: Known,
): Outcome {
  const { line, attempt } = ref;
  const { onboardingId, settledBy, version } = state;
  const names = namesOf(customer);
  const pinned = playbookVersionOf(playbook);
  const failure = failureOf(state, facts, prior, customer);
  return {
    ...names,
    ...failure,
    row: ref.row,
    line,
    attempt,
    version,
    row_key: ref.rowKey,
    fp_bid: customer.kind === "business" ? (names.fp_bid ?? facts.fp_bid ?? prior?.fp_bid ?? null) : null,
    onboarding_id: onboardingId,
    playbook_version: state.playbookVersion ?? pinned,
    status: rowStatus(state),
    requires_manual_review: onboardingId === null ? null : state.requiresManualReview,
    output: facts.answer?.output == null ? (prior?.output ?? null) : JSON.stringify(facts.answer.output),
    started_at: ref.startedAt,
    settled_at: settledAt(state, prior),
    settled_by: settledBy,
    next_action: facts.next_action ?? nextActionOf(state, pinned),
    ...(facts.events !== undefined && facts.events.length > 0 && { events: facts.events }),
  };
}

function failureOf(
  { status }: CustomerState,
  facts: OutcomeFacts,
  prior: Outcome | undefined,
  customer: CustomerRow,
): Pick<Outcome, "error_class" | "error_message"> {
  const said = facts.error_message ?? facts.answer?.error_message;
  const error_message = said ?? (status === "error" ? (prior?.error_message ?? null) : null);
  const words = error_message === null ? null : wordsOf(error_message, customer);
  const error_class = facts.error_class ?? (status === "error" ? onboardingErrorClass(words) : null);
  return { error_class, error_message };
}

/** When the row came to its end; the same end keeps its time. */
function settledAt(state: CustomerState, prior: Outcome | undefined): string | null {
  const final = state.failed || state.cancelled || state.expired || isDecision(state.status);
  if (!final) return null;
  const known = prior?.status === rowStatus(state) ? prior.settled_at : null;
  return known ?? new Date().toISOString();
}

const INSTANT = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

function hashOf({ error_class }: Outcome, trouble: string): string | null {
  if (error_class === null) return null;
  // The time of a request that was lost is another for every row, the trouble is the same.
  const words = trouble.replaceAll(INSTANT, "");
  return createHash("sha256").update(`${error_class}\n${words}`).digest("hex").slice(0, 16);
}

// Without the row's own values, so that a message that quotes them is the same for every row.
function wordsOf(message: string, customer: CustomerRow): string {
  return withoutValues(message, valuesOf(customer));
}
