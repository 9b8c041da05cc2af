import type { Unauthorized } from "./failures.js";
import type { RefusedRequest } from "./refusals.js";

/** How long a failing thing is retried before it is given up with its last reason. */
export const GIVE_UP_AFTER_MS = 60 * 60_000;
const BASE_MS = 1_000;
export const LONGEST_WAIT_MS = 15 * 60_000;

/** Exponential wait: 1 s, 2 s, 4 s … 15 min, each between half (`jitter` 0) and the whole of it. */
export function backoffMs(failures: number, jitter: number): number {
  const full = Math.min(BASE_MS * 2 ** Math.min(failures - 1, 30), LONGEST_WAIT_MS);
  return Math.round(full * (0.5 + jitter / 2));
}

/** A failure that may pass: network, time-out, 408, 429, 5xx. */
export interface TransientOutcome {
  readonly kind: "transient";
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

/** The slice did not reach its end, or the service pauses such calls. */
export interface OpenOutcome {
  readonly kind: "open";
  readonly waitMs?: number;
}

/** When an open item is due again, after an outcome at `at`. */
export function openUntil({ waitMs }: OpenOutcome, at: number): number {
  return waitMs === undefined ? 0 : at + Math.min(waitMs, GIVE_UP_AFTER_MS);
}

/** Reason of a failure whose answer, a proxy's page or half of one, says nothing of what was asked. */
export const USELESS_ANSWER = "no_json";
/** Reason of one with another status than 200, or another answer than the empty object that was promised. */
export const NOT_PROMISED = "not_promised";
export const USELESS: readonly string[] = [USELESS_ANSWER, NOT_PROMISED];
/** Useless answers in a row after which nothing more is asked: a wrong address gives them for ever. */
const MOST_USELESS = 5;
const AFTER_USELESS_MS = 3_000;

/** Milliseconds to wait after so many useless answers; undefined where they are too many. */
export function waitAfterUseless(useless: number): number | undefined {
  return useless >= MOST_USELESS ? undefined : AFTER_USELESS_MS * 3 ** (useless - 1);
}

/**
 * The instant from which a failed try is the last, if it fails as before. Pure.
 * @param next epoch milliseconds of the next try
 * @param most at the latest; an hour after the first failure in any case
 */
export function givesUpAt(
  { since, useless = 0 }: FailureStreak,
  next: number,
  most = Number.POSITIVE_INFINITY,
): number {
  let at = useless === 0 ? most : next;
  for (let tries = useless + 1; tries < MOST_USELESS; tries += 1) at += waitAfterUseless(tries) ?? 0;
  return Math.max(next, Math.min(at, most, since + GIVE_UP_AFTER_MS));
}

export interface FailureStreak {
  readonly count: number;
  /** How many of them, at its end, had a useless answer; left out for none. */
  readonly useless?: number;
  /** Epoch milliseconds of the first. */
  readonly since: number;
}

/** What to do after one more transient failure: wait until an instant, or give up. */
type TransientVerdict =
  | { readonly kind: "wait"; readonly notBefore: number; readonly streak: FailureStreak }
  | { readonly kind: "give_up"; readonly reason: string };

/**
 * Obeys `Retry-After`; gives up where that is more than an hour, after an hour without success, or after five useless
 * answers in a row.
 */
export function afterTransient(
  streak: FailureStreak | null,
  at: number,
  { reason, retryAfterMs }: Omit<TransientOutcome, "kind">,
  jitter: number,
): TransientVerdict {
  const useless = USELESS.includes(reason) ? (streak?.useless ?? 0) + 1 : 0;
  const next = {
    ...{ count: (streak?.count ?? 0) + 1, since: streak?.since ?? at },
    ...(useless > 0 && { useless }),
  };
  const own = useless > 0 ? waitAfterUseless(useless) : backoffMs(next.count, jitter);
  const asked = retryAfterMs ?? 0;
  if (asked > GIVE_UP_AFTER_MS)
    return { kind: "give_up", reason: `gave_up ${reason} until ${minuteOf(at + asked)}` };
  if (own === undefined || at - next.since >= GIVE_UP_AFTER_MS)
    return { kind: "give_up", reason: `gave_up ${reason}` };
  return { kind: "wait", notBefore: at + Math.max(own, asked), streak: next };
}

/** The end of a pause, by the minute: what ends alike is shown as one. */
export function minuteOf(at: number): string {
  return `${new Date(at + 59_999).toISOString().slice(0, 16)}Z`;
}

/** Something that is retried: a link or user of a sync, an item of a bulk job. */
export interface Attempted {
  readonly streak: FailureStreak | null;
  /** Epoch milliseconds before which no slice takes it; 0 at once. */
  readonly notBefore: number;
  /** Epoch milliseconds from which on a failure is the last one; left out: after an hour of failures. */
  readonly givesUpAt?: number | undefined;
}

/** What has not been tried yet. */
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

/** Decides after an outcome that came at `at`: retries what may pass, up to an hour; all else ends the item. Pure. */
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
      if (verdict.kind === "give_up") return { kind: "failed", reason: verdict.reason };
      const { streak, notBefore } = verdict;
      return { kind: "again", progress: { ...progress, streak, notBefore } };
    }
  }
}
