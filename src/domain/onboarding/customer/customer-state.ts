import { isDecision } from "../../service/onboarding-status.js";
import type { OpenOutcome } from "../batch/batch-rows.js";
import type { CustomerEvent } from "../messages.js";
import { OWN_STATUSES, type SettledBy } from "../outcome.js";

/**
 * Where a customer stands: the service still works on it, people must do something, or nothing more is waited
 * for. A row is *processed* when it is no longer `machine`.
 */
export type CustomerPhase = "machine" | "people" | "settled";

/** The state of one posted customer: small, never personal, the same whoever computes it. */
export interface CustomerState {
  readonly onboardingId: string | null;
  /** The service's last word that counts; null before any. */
  readonly status: string | null;
  readonly requiresManualReview: boolean;
  readonly phase: CustomerPhase;
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

/** What the service says of an onboarding, as far as its state depends on it; null for what was not said. */
export interface OnboardingReport {
  readonly onboardingId: string | null;
  readonly status: string | null;
  readonly requiresManualReview: boolean | null;
  readonly hasOutput: boolean;
}

/** Nothing known yet. */
export const UNPOSTED: CustomerState = {
  onboardingId: null,
  status: null,
  requiresManualReview: false,
  phase: "machine",
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
 * What the service's own answer makes of a state. A decision never goes back to an open status; it changes to
 * another decision only while a reviewer is waited for.
 */
export function afterReport(state: CustomerState, report: OnboardingReport, by: SettledBy): CustomerState {
  const onboardingId = state.onboardingId ?? report.onboardingId;
  const known = { ...state, onboardingId, hasOutput: state.hasOutput || report.hasOutput };
  const status = report.status;
  if (status === null || state.expired) return known;
  const decided = isDecision(state.status);
  if (decided && !isDecision(status)) return known;
  if (decided && status !== state.status && !state.requiresManualReview) return known;
  const requiresManualReview = report.requiresManualReview ?? state.requiresManualReview;
  const changed = status !== state.status || requiresManualReview !== state.requiresManualReview;
  return {
    ...known,
    status,
    requiresManualReview: decided && !state.requiresManualReview ? false : requiresManualReview,
    phase: phaseAfter(state, status, requiresManualReview),
    settledBy: isDecision(status) ? (changed || state.settledBy === null ? by : state.settledBy) : null,
    infoRequested: state.infoRequested && requiresManualReview,
  };
}

// Who was done once stays done: a run that goes on in the background is not waited for a second time.
function phaseAfter(state: CustomerState, status: string, review: boolean): CustomerPhase {
  if (state.phase === "settled") return "settled";
  if (isDecision(status)) return review ? "people" : "settled";
  // The decision is still to come, also where it will be a reviewer's.
  if (status === "pending") return state.phase;
  return "people";
}

/** Kinds of events that say how the onboarding stands. */
const TELLING: readonly string[] = [
  "service.onboarding.completed",
  "service.onboarding.incomplete",
  "service.user.manual_review",
];

/**
 * Applies webhooks and the poll that they triggered. The poll wins; webhooks count only while it shows no decision,
 * because it may lag behind them.
 */
export function afterEvents(
  state: CustomerState,
  events: readonly CustomerEvent[],
  report: OnboardingReport | null,
): CustomerState {
  const seen = events.reduce(withEventFacts, state);
  const looked = report === null ? seen : afterReport(seen, report, "webhook");
  return events
    .filter(({ kind }) => TELLING.includes(kind))
    .reduce(
      (now, event) =>
        isDecision(now.status) ? now : afterReport(now, { ...event, hasOutput: false }, "webhook"),
      looked,
    );
}

function withEventFacts(state: CustomerState, event: CustomerEvent): CustomerState {
  return {
    ...state,
    playbookVersion: event.playbookVersion ?? state.playbookVersion,
    infoRequested: state.infoRequested || event.kind === "service.user.info_requested",
  };
}

/** A link to go on was handed out; it is good until then. */
export function afterLink(state: CustomerState, expiresAt: number | null): CustomerState {
  return { ...state, links: state.links + 1, linkExpiresAt: expiresAt, linkMissing: false };
}

/** There is no link to hand out, or none could be: the last one stays good as long as it is. */
export function withoutLink(state: CustomerState): CustomerState {
  return { ...state, linkExpiresAt: null, linkMissing: true };
}

/** Whether the customer is waited for, so that a link is of use. */
export function needsCustomer(state: CustomerState): boolean {
  return state.status === "incomplete" && state.phase !== "settled";
}

/** Whether it was decided without an output, which may follow. */
export function lacksOutput({ phase, status, hasOutput, failed, expired }: CustomerState): boolean {
  if (hasOutput || failed || expired) return false;
  return phase === "settled" && isDecision(status) && status !== "error";
}

/** How the row stands: `onboardings.status`. */
export function rowStatus(state: CustomerState): string {
  if (state.failed) return "failed";
  if (state.cancelled) return "cancelled";
  if (state.expired) return "expired_no_response";
  if (state.status === "incomplete") return "needs_customer";
  return state.status ?? "pending";
}

/** The time for the service to come to a decision is over: the row counts as done with what it has. */
export function afterDecisionTimeout(state: CustomerState): CustomerState {
  return state.phase === "machine" ? { ...state, phase: "people" } : state;
}

/** The deadline: a customer who did not go on has expired, and nothing more is waited for. */
export function afterDeadline(state: CustomerState): CustomerState {
  return { ...state, phase: "settled", expired: state.expired || state.status === "incomplete" };
}

/** The batch was cancelled or another row took over: the last status stays. */
export function afterStop(state: CustomerState): CustomerState {
  return { ...state, phase: "settled", cancelled: state.onboardingId === null && !state.failed };
}

/** Nothing could be posted, or whether it was is not known: it is not tried again by itself. */
export function afterFailure(state: CustomerState): CustomerState {
  return { ...state, phase: "settled", failed: true };
}

/** Whether an outcome of this status may still change without anything being posted. */
export function isOpenOutcome(status: string, requiresManualReview: boolean): boolean {
  if (status === "needs_customer" || status === "incomplete" || status === "pending") return true;
  if (isDecision(status)) return requiresManualReview;
  return !(OWN_STATUSES as readonly string[]).includes(status);
}

/** The state of an onboarding that an earlier command posted, as its outcome tells it. */
export function reopened(open: OpenOutcome): CustomerState {
  const { onboardingId, requiresManualReview, version } = open;
  const status = open.status === "needs_customer" ? "incomplete" : open.status;
  return { ...UNPOSTED, onboardingId, status, requiresManualReview, version, phase: "people" };
}

/** Whether a state differs from what its last outcome says, so that a new version is due. */
export function isOutcomeDue(recorded: CustomerState, now: CustomerState): boolean {
  if (now.phase === "machine") return false;
  if (now.version === 0) return true;
  return (
    recorded.status !== now.status ||
    recorded.requiresManualReview !== now.requiresManualReview ||
    recorded.expired !== now.expired ||
    recorded.infoRequested !== now.infoRequested ||
    recorded.hasOutput !== now.hasOutput ||
    recorded.playbookVersion !== now.playbookVersion ||
    (needsCustomer(now) && recorded.linkMissing !== now.linkMissing)
  );
}
