import { createHash } from "node:crypto";
import type { OutcomeRef } from "../../domain/onboarding/batch-rows.js";
import type { CustomerRow } from "../../domain/onboarding/customer.js";
import { type CustomerCourse, isOutcomeDue, rowStatus } from "../../domain/onboarding/customer-state.js";
import type { CustomerRef, CustomerStand } from "../../domain/onboarding/customer-step.js";
import { onboardingErrorClass } from "../../domain/onboarding/error-class.js";
import { playbookVersionOf } from "../../domain/onboarding/identity.js";
import { nextActionOf } from "../../domain/onboarding/next-action.js";
import { type OutcomeEvent, type OutcomeRecord, withoutValues } from "../../domain/onboarding/outcome.js";
import { isDecision } from "../../domain/service/onboarding-status.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/staged-outcomes.js";
import type { OnboardingDependencies } from "./dependencies.js";

/** What an outcome says besides its course; left out, what the version before said stays. */
export interface OutcomeFacts {
  readonly output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errorClass?: string | null;
  readonly errorMessage?: string | null | undefined;
  /** Instead of what the course asks for. */
  readonly nextAction?: string;
  /** `fp_bid` of a business that was made for the row. */
  readonly fpBid?: string | null;
  readonly events?: readonly OutcomeEvent[];
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
  readonly prior: OutcomeRecord | undefined;
  readonly playbook: string;
}

function outcomeOf(
  ref: CustomerRef,
  course: CustomerCourse,
  facts: OutcomeFacts,
  { customer, prior, playbook }: Known,
): OutcomeRecord {
  const { status, version } = course;
  const business = customer.kind === "business";
  const pinned = playbookVersionOf(playbook);
  const final = course.failed || course.cancelled || course.expired || isDecision(status);
  const errorMessage = facts.errorMessage ?? (status === "error" ? (prior?.errorMessage ?? null) : null);
  const words = errorMessage === null ? null : wordsOf(errorMessage, customer);
  const same = prior !== undefined && prior.status === rowStatus(course) && prior.settledAt !== null;
  return {
    ...{ row: ref.row, line: ref.line, attempt: ref.attempt, version, rowKey: ref.rowKey },
    kind: customer.kind,
    fpId: business ? null : customer.fpId,
    fpBid: business ? (customer.fpId ?? facts.fpBid ?? prior?.fpBid ?? null) : null,
    externalId: customer.externalId,
    onboardingId: course.onboardingId,
    playbookVersion: course.playbookVersion ?? pinned,
    status: rowStatus(course),
    requiresManualReview: course.onboardingId === null ? null : course.requiresManualReview,
    output: facts.output == null ? (prior?.output ?? null) : JSON.stringify(facts.output),
    errorClass: facts.errorClass ?? (status === "error" ? onboardingErrorClass(words) : null),
    errorMessage,
    startedAt: ref.startedAt,
    settledAt: final ? (same ? prior.settledAt : new Date().toISOString()) : null,
    settledBy: course.settledBy,
    nextAction: facts.nextAction ?? nextActionOf(course, pinned),
    ...(facts.events !== undefined && facts.events.length > 0 && { events: facts.events }),
  };
}

const INSTANT = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

function hashOf({ errorClass, errorMessage }: OutcomeRecord, customer: CustomerRow): string | null {
  if (errorClass === null) return null;
  // The time of a request that was lost is another for every row, the trouble is the same.
  const words = wordsOf(errorMessage ?? "", customer).replaceAll(INSTANT, "");
  return createHash("sha256").update(`${errorClass}\n${words}`).digest("hex").slice(0, 16);
}

// Without the row's own values, so that a message that quotes them is the same for every row.
function wordsOf(message: string, { fpId, externalId, vault, prerequisiteData }: CustomerRow): string {
  return withoutValues(message, [[fpId, externalId], vault, prerequisiteData]);
}
