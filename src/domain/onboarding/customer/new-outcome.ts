import { isDecision } from "../../service/onboarding-status.js";
import { withoutValues } from "../../service/quoted-values.js";
import type { CustomerInput } from "../batch/batch-state.js";
import { type CustomerRow, valuesOf } from "../customer.js";
import { playbookKeyOf, playbookVersionOf } from "../identity.js";
import { namesOf, type Outcome } from "../outcome.js";
import { type CustomerState, rowStatus } from "./customer-state.js";
import { onboardingErrorClass } from "./error-class.js";
import { nextActionOf } from "./next-action.js";

interface ServiceAnswer {
  readonly output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly error_message?: string | null | undefined;
}

export interface OutcomeFacts
  extends Partial<Pick<Outcome, "fp_bid" | "error_class" | "error_message" | "next_action" | "events">> {
  readonly answer?: ServiceAnswer | null;
  /** The cause, equal for every row that it affects; left out, the message. */
  readonly trouble?: string;
}

interface KnownRow {
  readonly customer: CustomerRow;
  readonly deadline: number | undefined;
  readonly prior: Outcome | undefined;
  readonly playbook: string;
}

export function newOutcome(
  { line, attempt, rowKey, startedAt }: Pick<CustomerInput, "line" | "attempt" | "rowKey" | "startedAt">,
  state: CustomerState,
  facts: OutcomeFacts,
  { customer, deadline, prior, playbook }: KnownRow,
): Outcome {
  const pinned = playbookVersionOf(playbook);
  const output = facts.answer?.output;
  return {
    line,
    attempt,
    version: state.version,
    row_key: rowKey,
    ...subjectOf(customer, facts, prior),
    ...endOf(state, prior),
    ...failureOf(state, facts, prior, customer),
    playbook_key: playbookKeyOf(playbook),
    playbook_version: state.playbookVersion ?? pinned,
    output: output == null ? (prior?.output ?? null) : JSON.stringify(output),
    started_at: startedAt,
    next_action: facts.next_action ?? nextActionOf(state, pinned),
    expires_at: deadline === undefined || state.phase === "final" ? null : new Date(deadline).toISOString(),
    ...(facts.events?.length && { events: facts.events }),
  };
}

function subjectOf(customer: CustomerRow, facts: OutcomeFacts, prior: Outcome | undefined) {
  const names = namesOf(customer);
  if (customer.kind !== "business") return names;
  return { ...names, fp_bid: names.fp_bid ?? facts.fp_bid ?? prior?.fp_bid ?? null };
}

function endOf(state: CustomerState, prior: Outcome | undefined) {
  const { onboardingId, review, decidedBy, end } = state;
  const status = rowStatus(state);
  const hasEnded = end !== null || isDecision(state.status);
  // The same end keeps its time.
  const earlierEnd = prior?.status === status ? prior.settled_at : null;
  return {
    onboarding_id: onboardingId,
    status,
    requires_manual_review: onboardingId === null ? null : review,
    settled_at: hasEnded ? (earlierEnd ?? new Date().toISOString()) : null,
    settled_by: decidedBy,
  };
}

function failureOf(
  { status }: CustomerState,
  facts: OutcomeFacts,
  prior: Outcome | undefined,
  customer: CustomerRow,
): Pick<Outcome, "error_class" | "error_message"> {
  const isError = status === "error";
  const { vault, prerequisiteData } = customer;
  const answered = facts.answer?.error_message;
  const earlier = isError ? (prior?.error_message ?? null) : null;
  // A message of ours is masked already.
  const message = answered == null ? earlier : (withoutValues(answered, [vault, prerequisiteData]) ?? null);
  const error_message = facts.error_message ?? message;
  const words = error_message === null ? null : (withoutValues(error_message, valuesOf(customer)) ?? null);
  return { error_class: facts.error_class ?? (isError ? onboardingErrorClass(words) : null), error_message };
}

const INSTANT = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

/** What makes errors equal for the circuit: no values of the row, no time of a lost request. */
export function troubleOf(
  { error_class, error_message }: Outcome,
  { trouble }: OutcomeFacts,
  customer: CustomerRow,
): string | null {
  if (error_class === null) return null;
  const words = trouble ?? withoutValues(error_message ?? "", valuesOf(customer)) ?? "";
  return `${error_class}\n${words.replaceAll(INSTANT, "")}`;
}
