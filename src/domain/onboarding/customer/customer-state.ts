import { isDecision } from "../../service/onboarding-status.js";
import type { OpenOutcome } from "../batch/batch-rows.js";
import type { CustomerEvent } from "../messages.js";
import { OWN_STATUSES, type SettledBy } from "../outcome.js";

/**
 * Where a customer stands: the service still works on it, people must do something, or nothing more is waited
 * for. A row is *machine done* when it is no longer `machine`.
 */
export type CustomerStage = "machine" | "people" | "settled";

/** The course of one posted customer: small, never personal, the same whoever computes it. */
export interface CustomerCourse {
  readonly onboardingId: string | null;
  /** The service's last word that counts; null before any. */
  readonly status: string | null;
  readonly requiresManualReview: boolean;
  readonly stage: CustomerStage;
  /** Who brought `status`; null while nothing is decided. */
  readonly settledBy: SettledBy | null;
  /** Version that an event named; null where none did. */
  readonly playbookVersion: number | null;
  /** A reviewer asked the customer for more. */
  readonly infoRequested: boolean;
  /** Nothing could be posted, or whether it was is not known. */
  readonly failed: boolean;
  /** It was stopped before anything was posted. */
  readonly cancelled: boolean;
  /** The deadline passed while the customer was waited for. */
  readonly expired: boolean;
  readonly hasOutput: boolean;
  /** Links to go on that were handed out. */
  readonly links: number;
  /** Epoch milliseconds at which the last of them ends; null without one. */
  readonly linkExpiresAt: number | null;
  /** The customer has no link that is good: somebody has to send one from the dashboard. */
  readonly linkMissing: boolean;
  /** Version of the outcome that stands; 0 before the first. */
  readonly version: number;
}

/** What the service says of an onboarding, as far as its course depends on it; null for what was not said. */
export interface OnboardingReport {
  readonly onboardingId: string | null;
  readonly status: string | null;
  readonly requiresManualReview: boolean | null;
  readonly hasOutput: boolean;
}

/** Nothing known yet. */
export const UNPOSTED: CustomerCourse = {
  onboardingId: null,
  status: null,
  requiresManualReview: false,
  stage: "machine",
  settledBy: null,
  playbookVersion: null,
  infoRequested: false,
  failed: false,
  cancelled: false,
  expired: false,
  hasOutput: false,
  links: 0,
  linkExpiresAt: null,
  linkMissing: false,
  version: 0,
};

/**
 * What the service's own answer makes of a course. A decision never goes back to an open status; it changes to
 * another decision only while a reviewer is waited for.
 */
export function afterReport(course: CustomerCourse, report: OnboardingReport, by: SettledBy): CustomerCourse {
  const onboardingId = course.onboardingId ?? report.onboardingId;
  const known = { ...course, onboardingId, hasOutput: course.hasOutput || report.hasOutput };
  const status = report.status;
  if (status === null || course.expired) return known;
  const decided = isDecision(course.status);
  if (decided && !isDecision(status)) return known;
  if (decided && status !== course.status && !course.requiresManualReview) return known;
  const requiresManualReview = report.requiresManualReview ?? course.requiresManualReview;
  const changed = status !== course.status || requiresManualReview !== course.requiresManualReview;
  return {
    ...known,
    status,
    requiresManualReview: decided && !course.requiresManualReview ? false : requiresManualReview,
    stage: stageAfter(course, status, requiresManualReview),
    settledBy: isDecision(status) ? (changed || course.settledBy === null ? by : course.settledBy) : null,
    infoRequested: course.infoRequested && requiresManualReview,
  };
}

// Who was done once stays done: a run that goes on in the background is not waited for a second time.
function stageAfter(course: CustomerCourse, status: string, review: boolean): CustomerStage {
  if (course.stage === "settled") return "settled";
  if (isDecision(status)) return review ? "people" : "settled";
  if (status === "pending" && !review) return course.stage;
  return "people";
}

/** Kinds of events that say how the onboarding stands. */
const TELLING: readonly string[] = [
  "service.onboarding.completed",
  "service.onboarding.incomplete",
  "service.user.manual_review",
];

/**
 * What webhooks and the look that they led to make of a course: the look counts, and then the webhooks where the
 * look knows no decision yet. The look comes first and once, because it may lag behind them.
 */
export function afterEvents(
  course: CustomerCourse,
  events: readonly CustomerEvent[],
  report: OnboardingReport | null,
): CustomerCourse {
  const seen = events.reduce(withEventFacts, course);
  const looked = report === null ? seen : afterReport(seen, report, "webhook");
  return events
    .filter(({ kind }) => TELLING.includes(kind))
    .reduce(
      (now, event) =>
        isDecision(now.status) ? now : afterReport(now, { ...event, hasOutput: false }, "webhook"),
      looked,
    );
}

function withEventFacts(course: CustomerCourse, event: CustomerEvent): CustomerCourse {
  return {
    ...course,
    playbookVersion: event.playbookVersion ?? course.playbookVersion,
    infoRequested: course.infoRequested || event.kind === "service.user.info_requested",
  };
}

/** A link to go on was handed out; it is good until then. */
export function afterLink(course: CustomerCourse, expiresAt: number | null): CustomerCourse {
  return { ...course, links: course.links + 1, linkExpiresAt: expiresAt, linkMissing: false };
}

/** There is no link to hand out, or none could be: the last one stays good as long as it is. */
export function withoutLink(course: CustomerCourse): CustomerCourse {
  return { ...course, linkExpiresAt: null, linkMissing: true };
}

/** Whether the customer is waited for, so that a link is of use. */
export function needsCustomer(course: CustomerCourse): boolean {
  return course.status === "incomplete" && course.stage !== "settled";
}

/** Whether it was decided without an output, which may follow. */
export function lacksOutput({ stage, status, hasOutput, failed, expired }: CustomerCourse): boolean {
  if (hasOutput || failed || expired) return false;
  return stage === "settled" && isDecision(status) && status !== "error";
}

/** How the row stands: `onboardings.status`. */
export function rowStatus(course: CustomerCourse): string {
  if (course.failed) return "failed";
  if (course.cancelled) return "cancelled";
  if (course.expired) return "expired_no_response";
  if (course.status === "incomplete") return "needs_customer";
  return course.status ?? "pending";
}

/** The time for the service to come to a decision is over: the row counts as done with what it has. */
export function afterPatience(course: CustomerCourse): CustomerCourse {
  return course.stage === "machine" ? { ...course, stage: "people" } : course;
}

/** The deadline: a customer who did not go on has expired, and nothing more is waited for. */
export function afterDeadline(course: CustomerCourse): CustomerCourse {
  return { ...course, stage: "settled", expired: course.expired || course.status === "incomplete" };
}

/** The batch was cancelled or another row took over: the last status stays. */
export function afterStop(course: CustomerCourse): CustomerCourse {
  return { ...course, stage: "settled", cancelled: course.onboardingId === null && !course.failed };
}

/** Nothing could be posted, or whether it was is not known: it is not tried again by itself. */
export function afterFailure(course: CustomerCourse): CustomerCourse {
  return { ...course, stage: "settled", failed: true };
}

/** Whether an outcome of this status may still change without anything being posted. */
export function isOpenOutcome(status: string, requiresManualReview: boolean): boolean {
  if (status === "needs_customer" || status === "incomplete" || status === "pending") return true;
  if (isDecision(status)) return requiresManualReview;
  return !(OWN_STATUSES as readonly string[]).includes(status);
}

/** The course of an onboarding that an earlier command posted, as its outcome tells it. */
export function reopened(open: OpenOutcome): CustomerCourse {
  const { onboardingId, requiresManualReview, version } = open;
  const status = open.status === "needs_customer" ? "incomplete" : open.status;
  return { ...UNPOSTED, onboardingId, status, requiresManualReview, version, stage: "people" };
}

/** Whether a course differs from what its last outcome says, so that a new version is due. */
export function isOutcomeDue(written: CustomerCourse, now: CustomerCourse): boolean {
  if (now.stage === "machine") return false;
  if (now.version === 0) return true;
  return (
    written.status !== now.status ||
    written.requiresManualReview !== now.requiresManualReview ||
    written.expired !== now.expired ||
    written.infoRequested !== now.infoRequested ||
    written.hasOutput !== now.hasOutput ||
    written.playbookVersion !== now.playbookVersion ||
    (needsCustomer(now) && written.linkMissing !== now.linkMissing)
  );
}
