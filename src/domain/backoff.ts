import { MAX_RETRY_AFTER_MS } from "./service/retry-after.js";

/** How long a failing thing is retried before it is given up with its last reason. */
export const GIVE_UP_AFTER_MS = 60 * 60_000;
const BASE_MS = 1_000;
/** Also the longest `Retry-After` that is obeyed. */
export const LONGEST_WAIT_MS = MAX_RETRY_AFTER_MS;

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

export interface FailureStreak {
  readonly count: number;
  /** Epoch milliseconds of the first. */
  readonly since: number;
}

/** What to do after one more transient failure: wait until an instant, or give up. */
type TransientVerdict =
  | { readonly kind: "wait"; readonly notBefore: number; readonly streak: FailureStreak }
  | { readonly kind: "give_up" };

/** Obeys `Retry-After` up to 15 minutes, and gives up after an hour without a success. */
export function afterTransient(
  streak: FailureStreak | null,
  at: number,
  retryAfterMs: number | null,
  jitter: number,
): TransientVerdict {
  const next = streak === null ? { count: 1, since: at } : { count: streak.count + 1, since: streak.since };
  if (at - next.since >= GIVE_UP_AFTER_MS) return { kind: "give_up" };
  const own = backoffMs(next.count, jitter);
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS);
  return { kind: "wait", notBefore: at + Math.max(own, asked), streak: next };
}
