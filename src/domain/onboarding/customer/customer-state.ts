import { isDecision } from "../../service/onboarding-status.js";
import type { OpenOutcome } from "../batch/batch-state.js";
import { type CustomerEvent, VALIDATED } from "../messages.js";
import type { DecidedBy } from "../outcome.js";
import { type Said, saysTheSame, type Verdict } from "../verdict.js";

/** Whose turn it is: the service's, people's, or nobody's any more. A row is *processed* once it is not `machine`. */
export type CustomerPhase = "machine" | "people" | "final";

/** Never personal. */
export interface CustomerState extends Pick<Verdict, "review"> {
  readonly onboardingId: string | null;
  /** Null before any. */
  readonly status: string | null;
  readonly phase: CustomerPhase;
  /** Null while nothing is decided. */
  readonly decidedBy: DecidedBy | null;
  readonly playbookVersion: number | null;
  /** A reviewer asked the customer for more. */
  readonly infoRequested: boolean;
  /** Where not by a decision: nothing could be posted, or nothing tells; stopped before the post; the customer did not continue. */
  readonly end: "failed" | "cancelled" | "expired" | null;
  readonly hasOutput: boolean;
  /** Delivered ones. */
  readonly links: number;
  readonly linkExpiresAt: number | null;
  /** Somebody has to send one from the dashboard. */
  readonly linkMissing: boolean;
  /** Of the latest outcome; 0 before the first. */
  readonly version: number;
}

export interface OnboardingReport extends Said {
  readonly onboardingId: string | null;
  readonly hasOutput?: boolean;
}

export const UNPOSTED: CustomerState = {
  onboardingId: null,
  status: null,
  review: null,
  phase: "machine",
  decidedBy: null,
  playbookVersion: null,
  infoRequested: false,
  end: null,
  hasOutput: false,
  links: 0,
  linkExpiresAt: null,
  linkMissing: false,
  version: 0,
};

/** Applies the service's own answer. */
export function afterReport(state: CustomerState, report: OnboardingReport, by: DecidedBy): CustomerState {
  const { status } = report;
  const next = {
    ...state,
    onboardingId: state.onboardingId ?? report.onboardingId,
    hasOutput: state.hasOutput || report.hasOutput === true,
  };
  if (status === null || !mayBecome(state, status)) return next;
  const review = report.review ?? unsaidReview(state, status);
  const isNew = !saysTheSame(state, { status, review });
  return {
    ...next,
    status,
    review,
    phase: phaseAfter(state.phase, status, review),
    decidedBy: isDecision(status) ? (isNew ? by : (state.decidedBy ?? by)) : null,
    infoRequested: state.infoRequested && review !== false && !isOtherDecision(state, status),
  };
}

/** `none` to a post that only queues the onboarding is no decision yet. */
export function afterPost(state: CustomerState, report: OnboardingReport, isQueued: boolean): CustomerState {
  const status = isQueued && report.status === "none" ? "pending" : report.status;
  return afterReport(state, { ...report, status }, "sync");
}

/** An expired row keeps its status, and a decision stays unless a reviewer is to change it. */
function mayBecome(state: CustomerState, status: string): boolean {
  if (isExpired(state)) return false;
  if (!isDecision(state.status)) return true;
  return isDecision(status) && state.review !== false;
}

/** Of a decision only what was said of that one counts. */
function unsaidReview(state: CustomerState, status: string): boolean | null {
  if (isOtherDecision(state, status)) return null;
  // One that was announced with an open status is still to come.
  return isDecision(status) && !isDecision(state.status) && state.review !== true ? null : state.review;
}

/** A reviewer's. */
function isOtherDecision({ status }: CustomerState, next: string): boolean {
  return isDecision(status) && isDecision(next) && status !== next;
}

/** Whether the service has decided, and a webhook may still say that a reviewer has to. */
export function lacksReview({ status, review, infoRequested }: CustomerState): boolean {
  return isDecision(status) && review === null && !infoRequested;
}

function phaseAfter(phase: CustomerPhase, status: string, review: boolean | null): CustomerPhase {
  // A finished row is not waited for a second time.
  if (phase === "final") return "final";
  if (isDecision(status)) return review === false ? "final" : "people";
  return status === "pending" ? phase : "people";
}

const TELLING: readonly string[] = [
  "service.onboarding.completed",
  "service.onboarding.incomplete",
  "service.user.manual_review",
];

/**
 * Applies a poll, and the news that led to it. The poll wins over webhooks, but may lag behind them while it has no
 * decision; without a poll's status they count. One that names no onboarding may be about another one of the customer.
 * Where the poll doesn't say whether a reviewer has to decide, the newest webhook of the same status does; where no news
 * comes until a decision is polled again, nobody says it any more.
 */
export function afterPoll(
  state: CustomerState,
  news: readonly CustomerEvent[],
  report: OnboardingReport | null,
): CustomerState {
  const sessions = news.filter(({ kind }) => kind === VALIDATED);
  const webhooks = news.filter(({ kind }) => kind !== VALIDATED);
  const by = webhooks.length > 0 ? "webhook" : sessions.length > 0 ? "validation" : "poll";
  const validated = sessions.reduce((now, session) => afterReport(now, session, "validation"), state);
  const seen = webhooks.reduce(withEventFacts, validated);
  const telling = webhooks.filter(
    ({ kind, onboardingId }) => TELLING.includes(kind) && onboardingId !== null,
  );
  const polled = report === null ? seen : afterReport(seen, withReview(report, telling), by);
  const isTold = report !== null && report.status !== null;
  const next = telling.reduce(
    (now, event) => (isTold && isDecision(now.status) ? now : afterReport(now, event, by)),
    polled,
  );
  const isOver = news.length === 0 && next.status === state.status && lacksReview(next);
  return isOver ? { ...next, phase: "final" } : next;
}

/** A report with the review that the newest webhook of the same status says, where it says none itself. */
function withReview(report: OnboardingReport, telling: readonly CustomerEvent[]): OnboardingReport {
  if (report.review !== null || report.status === null) return report;
  const same = telling.filter(
    ({ status, review }) => review !== null && (status ?? report.status) === report.status,
  );
  const newest = same.reduce<CustomerEvent | undefined>(
    (one, other) => (one?.at != null && other.at !== null && other.at < one.at ? one : other),
    undefined,
  );
  return { ...report, review: newest?.review ?? null };
}

function withEventFacts(state: CustomerState, event: CustomerEvent): CustomerState {
  return {
    ...state,
    playbookVersion: event.playbookVersion ?? state.playbookVersion,
    infoRequested: state.infoRequested || event.kind === "service.user.info_requested",
  };
}

export function afterLink(state: CustomerState, expiresAt: number | null): CustomerState {
  return { ...state, links: state.links + 1, linkExpiresAt: expiresAt, linkMissing: false };
}

export function withoutLink(state: CustomerState): CustomerState {
  return { ...state, linkExpiresAt: null, linkMissing: true };
}

export function needsCustomer(state: CustomerState): boolean {
  return state.status === "incomplete" && state.phase !== "final";
}

export function lacksOutput({ phase, status, hasOutput, end }: CustomerState): boolean {
  return !hasOutput && end === null && phase === "final" && isDecision(status) && status !== "error";
}

export function rowStatus(state: CustomerState): string {
  if (state.end !== null) return state.end === "expired" ? "expired_no_response" : state.end;
  if (state.status === "incomplete") return "needs_customer";
  return state.status ?? "pending";
}

export function rowVerdict(state: CustomerState): Verdict {
  return { status: rowStatus(state), review: state.review };
}

/** The row counts as processed with what it has. */
export function afterDecisionTimeout(state: CustomerState): CustomerState {
  return state.phase === "machine" ? { ...state, phase: "people" } : state;
}

/** A customer who did not continue has expired. */
export function afterDeadline(state: CustomerState): CustomerState {
  return { ...state, phase: "final", end: state.status === "incomplete" ? "expired" : state.end };
}

/** It ends with its last status. */
export function afterStop(state: CustomerState): CustomerState {
  return { ...state, phase: "final", end: state.end ?? (state.onboardingId === null ? "cancelled" : null) };
}

export function afterFailure(state: CustomerState): CustomerState {
  return { ...state, phase: "final", end: "failed" };
}

export function reopened(open: OpenOutcome): CustomerState {
  const status = open.status === "needs_customer" ? "incomplete" : open.status;
  return { ...UNPOSTED, ...open, status, phase: "people" };
}

/** A later version is due where any of it has changed. */
const RECORDED = ["status", "review", "infoRequested", "hasOutput", "playbookVersion"] as const;

export function isOutcomeDue(recorded: CustomerState, now: CustomerState): boolean {
  if (now.phase === "machine") return false;
  if (now.version === 0) return true;
  if (needsCustomer(now) && recorded.linkMissing !== now.linkMissing) return true;
  return isExpired(recorded) !== isExpired(now) || RECORDED.some((name) => recorded[name] !== now[name]);
}

const isExpired = ({ end }: CustomerState) => end === "expired";
