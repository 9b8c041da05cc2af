import { createHash } from "node:crypto";
import type { OutcomeRef } from "../../domain/onboarding/batch-rows.js";
import type { CustomerRow } from "../../domain/onboarding/customer.js";
import { type CustomerCourse, isOutcomeDue, rowStatus } from "../../domain/onboarding/customer-state.js";
import type { CustomerRef, CustomerStand } from "../../domain/onboarding/customer-step.js";
import { onboardingErrorClass } from "../../domain/onboarding/error-class.js";
import { playbookVersionOf } from "../../domain/onboarding/identity.js";
import { nextActionOf } from "../../domain/onboarding/next-action.js";
import { namesOf, type Outcome, withoutValues } from "../../domain/onboarding/outcome.js";
import { isDecision } from "../../domain/service/onboarding-status.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/staged-outcomes.js";
import type { OnboardingDependencies } from "./dependencies.js";

/** What an outcome says besides its course; left out, what the version before said stays. */
export interface OutcomeFacts
  extends Partial<Pick<Outcome, "fp_bid" | "error_class" | "next_action" | "events">> {
  readonly output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly error_message?: string | null | undefined;
}

/** A course with the outcome that was staged for it. */
export interface StagedCourse {
  readonly course: CustomerCourse;
  readonly outcome: OutcomeRef | null;
  readonly messageHash: string | null;
}

/** Stages the outcome of a course, sealed, where it says something new; `course` then has its version. */
export async function stageOutcome(
  deps: OnboardingDependencies,
  { written, ...ref }: CustomerRef & Pick<CustomerStand, "written">,
  course: CustomerCourse,
  facts: OutcomeFacts,
): Promise<StagedCourse> {
  if (!isOutcomeDue(written, course)) return { course, outcome: null, messageHash: null };
  const { customer } = await deps.batches.row(ref.batchId, ref.row);
  const version = course.version + 1;
  const name = { line: ref.line, attempt: ref.attempt };
  const prior =
    course.version === 0
      ? undefined
      : await getOutcome(deps.sealed, ref.batchId, { ...name, version: course.version });
  const { playbook } = await deps.batches.require(ref.batchId);
  const outcome = outcomeOf(ref, { ...course, version }, facts, { customer, prior, playbook });
  await putOutcome(deps.sealed, ref.batchId, outcome);
  return {
    course: { ...course, version },
    outcome: { row: ref.row, ...name, version },
    messageHash: hashOf(outcome, customer),
  };
}

interface Known {
  readonly customer: CustomerRow;
  readonly prior: Outcome | undefined;
  readonly playbook: string;
}

function outcomeOf(
  ref: CustomerRef,
  course: CustomerCourse,
  facts: OutcomeFacts,
  { customer, prior, playbook }: Known,
): Outcome {
  const { line, attempt } = ref;
  const { onboardingId, settledBy, version } = course;
  const names = namesOf(customer);
  const pinned = playbookVersionOf(playbook);
  const failure = failureOf(course, facts, prior, customer);
  return {
    ...names,
    ...failure,
    ...{ row: ref.row, line, attempt, version, row_key: ref.rowKey },
    fp_bid: customer.kind === "business" ? (names.fp_bid ?? facts.fp_bid ?? prior?.fp_bid ?? null) : null,
    onboarding_id: onboardingId,
    playbook_version: course.playbookVersion ?? pinned,
    status: rowStatus(course),
    requires_manual_review: onboardingId === null ? null : course.requiresManualReview,
    output: facts.output == null ? (prior?.output ?? null) : JSON.stringify(facts.output),
    started_at: ref.startedAt,
    settled_at: settledAt(course, prior),
    settled_by: settledBy,
    next_action: facts.next_action ?? nextActionOf(course, pinned),
    ...(facts.events !== undefined && facts.events.length > 0 && { events: facts.events }),
  };
}

function failureOf(
  { status }: CustomerCourse,
  facts: OutcomeFacts,
  prior: Outcome | undefined,
  customer: CustomerRow,
): Pick<Outcome, "error_class" | "error_message"> {
  const error_message = facts.error_message ?? (status === "error" ? (prior?.error_message ?? null) : null);
  const words = error_message === null ? null : wordsOf(error_message, customer);
  const error_class = facts.error_class ?? (status === "error" ? onboardingErrorClass(words) : null);
  return { error_class, error_message };
}

/** When the row came to its end; the same end keeps its time. */
function settledAt(course: CustomerCourse, prior: Outcome | undefined): string | null {
  const final = course.failed || course.cancelled || course.expired || isDecision(course.status);
  if (!final) return null;
  const known = prior?.status === rowStatus(course) ? prior.settled_at : null;
  return known ?? new Date().toISOString();
}

function hashOf({ error_class, error_message }: Outcome, customer: CustomerRow): string | null {
  if (error_class === null) return null;
  const words = wordsOf(error_message ?? "", customer);
  return createHash("sha256").update(`${error_class}\n${words}`).digest("hex").slice(0, 16);
}

// Without the row's own values, so that a message that quotes them is the same for every row.
function wordsOf(message: string, { fpId, externalId, vault, prerequisiteData }: CustomerRow): string {
  return withoutValues(message, [[fpId, externalId], vault, prerequisiteData]);
}
