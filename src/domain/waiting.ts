import { type Attempted, givesUpAt as endOf, SERVICE_RETRY } from "./backoff.js";

/** The signal by which a run tries at once what waits. */
export const TRY_NOW = "tryNow";

/** A run names so many that wait, and counts the rest. */
export const MOST_WAITING = 20;

/** Whose try failed: a link, a user by `fp_id`, or a row by its line and owner. */
export type WaitingName =
  | { readonly link: string }
  | { readonly owner: string }
  | { readonly line: number; readonly owner: string };

/** One thing that failed and is tried again. */
export type Waiting = WaitingName & {
  readonly reason: string;
  /** Tries that failed in a row. */
  readonly attempts: number;
  /** In the past while it is under way. */
  readonly next_try_at: string;
  /** The first try that fails from then on is the last one. */
  readonly gives_up_at: string;
};

/** What a run, or a part of it, waits for. */
export interface WaitingState {
  /** The first {@link MOST_WAITING}, by when they are given up. */
  readonly waiting: readonly Waiting[];
  readonly waiting_total: number;
  /** Until then the service wants no calls. */
  readonly throttled_until: string | null;
  /** Whether calls of other runs took all places. */
  readonly waits_for_place: boolean;
  /** Calls in flight that the service bears, where a worker has learnt that it is fewer than it may have. */
  readonly learned_limit: number | null;
}

/** How the calls of a slice got on. */
export interface CallGate {
  /** Whether none of its calls found a place. */
  readonly foundNoPlace: boolean;
  /** Epoch milliseconds until which the service wants no calls of an operation that it needs. */
  readonly gateUntil: number | null;
  /** The same, or of one link or user alone. */
  readonly pausedUntil?: number | null;
  readonly learnedLimit?: number;
}

/** Milliseconds of pause after a slice: an hour at most, whatever the worker's clock did. */
export function gateMs({ gateUntil, at }: Pick<CallGate, "gateUntil"> & { readonly at: number }): number {
  return gateUntil === null ? 0 : Math.min(Math.max(0, gateUntil - at), SERVICE_RETRY.until);
}

/** Whose last try failed, and why. */
export interface NamedFailure {
  readonly name: WaitingName;
  readonly reason: string;
}

interface Unfinished extends Attempted {
  /** Undefined where it was not named. */
  readonly failure: NamedFailure | undefined;
}

/** What waits, after a slice whose calls got on so. */
export function waitingState(unfinished: Iterable<Unfinished>, gate?: CallGate): WaitingState {
  const throttled = gate?.gateUntil ?? null;
  const waiting: Waiting[] = [];
  let waiting_total = 0;
  for (const { streak, notBefore, givesUpAt, failure } of unfinished) {
    if (streak === null) continue;
    waiting_total += 1;
    if (failure === undefined) continue;
    const next = Math.max(notBefore, throttled ?? 0, streak.since);
    waiting.push({
      ...failure.name,
      reason: failure.reason,
      attempts: streak.count,
      next_try_at: instant(next),
      gives_up_at: instant(endOf(streak, next, givesUpAt)),
    });
  }
  return {
    waiting: firstOf(waiting),
    waiting_total,
    throttled_until: throttled === null ? null : instant(throttled),
    waits_for_place: gate?.foundNoPlace ?? false,
    learned_limit: gate?.learnedLimit ?? null,
  };
}

/** What the parts of a run wait for together. */
export function allWaiting(parts: readonly WaitingState[]): WaitingState {
  const throttled = parts.flatMap(({ throttled_until }) => throttled_until ?? []).sort();
  const limits = parts.flatMap(({ learned_limit }) => learned_limit ?? []);
  return {
    waiting: firstOf(parts.flatMap(({ waiting }) => waiting)),
    waiting_total: parts.reduce((sum, part) => sum + part.waiting_total, 0),
    throttled_until: throttled.at(-1) ?? null,
    waits_for_place: parts.some(({ waits_for_place }) => waits_for_place),
    learned_limit: limits.length === 0 ? null : Math.min(...limits),
  };
}

/** Names the first that failed in a slice and are retried: no history holds ids in bulk. */
export function namedFailures<
  R extends { readonly outcome: { readonly kind: string; readonly reason?: string } },
>(results: readonly R[], nameOf: (result: R) => WaitingName): (R & { readonly failure?: NamedFailure })[] {
  let named = 0;
  return results.map((result) => {
    const { outcome } = result;
    if (outcome.kind !== "transient" || named === MOST_WAITING) return result;
    named += 1;
    return { ...result, failure: { name: nameOf(result), reason: outcome.reason ?? "" } };
  });
}

function firstOf(waiting: readonly Waiting[]): Waiting[] {
  return [...waiting].sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, MOST_WAITING);
}

function key(waiting: Waiting): string {
  return `${waiting.gives_up_at} ${waitingName(waiting)}`;
}

/** `link_…`, `fp_…`, or `line 12, fp_…`. */
export function waitingName(name: WaitingName): string {
  if ("link" in name) return name.link;
  return "line" in name ? `line ${name.line}, ${name.owner}` : name.owner;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** How long pauses held calls of a run. */
export interface Pauses {
  readonly ms: number;
  /** Epoch milliseconds up to which pauses are counted. */
  readonly until: number;
}

export const NO_PAUSES: Pauses = { ms: 0, until: 0 };

/** Adds a pause of a part, reported at `at`; what pauses at the same time counts once. */
export function withPause(pauses: Pauses, at: number, until: number | null): Pauses {
  if (until === null || until <= pauses.until) return pauses;
  return { ms: pauses.ms + until - Math.max(at, pauses.until), until };
}

/** Without the rest of a pause that is not over at `at`. */
export function pausedMs({ ms, until }: Pauses, at: number): number {
  return Math.max(0, ms - Math.max(0, until - at));
}
