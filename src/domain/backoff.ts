import { HOUR, MINUTE, SECOND } from "./duration.js";
import type { Unauthorized } from "./failures.js";
import type { RefusedRequest } from "./refusals.js";

/** How what fails is tried again, in milliseconds: each wait is twice the one before. */
export interface RetryPolicy {
  readonly first: number;
  readonly longest: number;
  /** All waits together. */
  readonly until: number;
}

/** Calls of the service, with {@link backoffMs}; no pause is waited for longer than its hour. */
export const SERVICE_RETRY: RetryPolicy = { first: SECOND, longest: 15 * MINUTE, until: HOUR };

/** Useless answers in a row: a wrong address gives them for ever. */
export const USELESS_RETRY: RetryPolicy = { first: 8 * SECOND, longest: 64 * SECOND, until: 2 * MINUTE };

/** Steps of runs that throw, and those without which a run ends all the same. */
export const STEP_RETRY: RetryPolicy = { first: SECOND, longest: 30 * SECOND, until: HOUR };
export const SHORT_RETRY: RetryPolicy = { ...STEP_RETRY, until: 15 * SECOND };

export function waitAfter({ first, longest }: RetryPolicy, failures: number): number {
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
}

/** The tries of a policy. Who counts them, not the time, loses none while a machine is off. */
export function triesOf(policy: RetryPolicy): number {
  if (!Number.isFinite(policy.until)) return policy.until;
  let tries = 1;
  for (let waited = 0; waited < policy.until; tries += 1) waited += waitAfter(policy, tries);
  return tries;
}

/** The wait of a call, of which `jitter` from 0 to 1 takes between half and the whole. */
export function backoffMs(failures: number, jitter: number): number {
  return Math.round(waitAfter(SERVICE_RETRY, failures) * (0.5 + jitter / 2));
}

/** A failure that may pass: network, time-out, 408, 429, 5xx. */
export interface TransientOutcome {
  readonly kind: "transient";
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

/** The slice has ended first, or the service pauses such calls. */
export interface OpenOutcome {
  readonly kind: "open";
  readonly waitMs?: number;
}

export function openUntil({ waitMs }: OpenOutcome, at: number): number {
  return waitMs === undefined ? 0 : at + Math.min(waitMs, SERVICE_RETRY.until);
}

/** Reason of a failure whose answer is a proxy's page, or half of one. */
export const USELESS_ANSWER = "no_json";
/** Another status than 200, or another answer than the empty object that was promised. */
export const NOT_PROMISED = "not_promised";
export const USELESS: readonly string[] = [USELESS_ANSWER, NOT_PROMISED];
/** The instant from which a failure is the last. @param next of the next try @param most at the latest */
export function givesUpAt(
  { since, useless = 0 }: FailureStreak,
  next: number,
  most = Number.POSITIVE_INFINITY,
): number {
  let at = useless === 0 ? most : next;
  for (let tries = useless + 1; tries < triesOf(USELESS_RETRY); tries += 1)
    at += waitAfter(USELESS_RETRY, tries);
  return Math.max(next, Math.min(at, most, since + SERVICE_RETRY.until));
}

export interface FailureStreak {
  readonly count: number;
  /** How many of them, at its end, had a useless answer. */
  readonly useless?: number;
  /** Epoch milliseconds of the first. */
  readonly since: number;
}

/**
 * Obeys `Retry-After`; gives up where that is more than an hour, after an hour, or after five useless answers.
 *
 * @returns when it is tried again, or why it is given up
 */
export function afterTransient(
  streak: FailureStreak | null,
  at: number,
  { reason, retryAfterMs }: Omit<TransientOutcome, "kind">,
  jitter: number,
): { readonly streak: FailureStreak; readonly notBefore: number } | string {
  const useless = USELESS.includes(reason) ? (streak?.useless ?? 0) + 1 : 0;
  const next = {
    count: (streak?.count ?? 0) + 1,
    since: streak?.since ?? at,
    ...(useless > 0 && { useless }),
  };
  const pause = retryAfterMs ?? 0;
  if (pause > SERVICE_RETRY.until) return `gave_up ${reason} until ${minuteOf(at + pause)}`;
  if (useless >= triesOf(USELESS_RETRY) || at - next.since >= SERVICE_RETRY.until) return `gave_up ${reason}`;
  const own = useless > 0 ? waitAfter(USELESS_RETRY, useless) : backoffMs(next.count, jitter);
  return { streak: next, notBefore: at + Math.max(own, pause) };
}

/** By the minute: what ends alike is shown as one. */
export function minuteOf(at: number): string {
  return `${new Date(at + 59_999).toISOString().slice(0, 16)}Z`;
}

/** A link or user of a sync, or an item of a bulk job, between its tries. */
export interface Attempted {
  readonly streak: FailureStreak | null;
  /** Epoch milliseconds; 0 for at once. */
  readonly notBefore: number;
  /** Epoch milliseconds from which a failure is the last; left out: an hour after the first. */
  readonly givesUpAt?: number | undefined;
}

export const UNTRIED: Attempted = { streak: null, notBefore: 0 };

export type ItemOutcome =
  | OpenOutcome
  | { readonly kind: "complete" }
  | TransientOutcome
  | { readonly kind: "failed"; readonly reason: string; readonly refused?: RefusedRequest }
  | { readonly kind: "unauthorized"; readonly mayNot?: string };

export type ItemVerdict<P> =
  /** A later slice takes it. */
  | { readonly kind: "again"; readonly progress: P }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string; readonly refused?: RefusedRequest }
  /** The service refused the credentials: the run stops. */
  | { readonly kind: "stop"; readonly unauthorized: Unauthorized };

/** Decides after an outcome at `at`: retries what may pass; all else ends the item. */
export function afterItemOutcome<P extends Attempted>(
  progress: P,
  outcome: ItemOutcome,
  at: number,
  jitter: number,
): ItemVerdict<P> {
  switch (outcome.kind) {
    case "open":
      return { kind: "again", progress: { ...progress, notBefore: openUntil(outcome, at) } };
    case "complete":
      return { kind: "done" };
    case "unauthorized":
      return { kind: "stop", unauthorized: outcome.mayNot ?? true };
    case "failed":
      return outcome;
    case "transient": {
      const verdict = afterTransient(progress.streak, at, outcome, jitter);
      if (typeof verdict === "string") return { kind: "failed", reason: verdict };
      return { kind: "again", progress: { ...progress, ...verdict } };
    }
  }
}
