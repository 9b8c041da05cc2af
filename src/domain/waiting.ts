import { type Attempted, givesUpAt as endOf, SERVICE_RETRY } from "./backoff.js";

/** Name of the signal that makes a run try everything at once that waits for its next try. */
export const TRY_NOW = "tryNow";

/** How many waiting things a run names; it only counts the rest. */
export const MOST_WAITING = 20;

/** Whose try failed: a bank link, a user by `fp_id`, or a row of a file by its line and whose it is. */
export type WaitingName =
  | { readonly link: string }
  | { readonly owner: string }
  | { readonly line: number; readonly owner: string };

/** One thing that failed and is tried again. */
export type Waiting = WaitingName & {
  readonly reason: string;
  /** Tries that failed in a row. */
  readonly attempts: number;
  /** ISO instant; in the past while the next try is under way. */
  readonly next_try_at: string;
  /** ISO instant: the first try that fails from then on is the last one. */
  readonly gives_up_at: string;
};

/** What a run, or a part of it, waits for. */
export interface WaitingState {
  /** The first {@link MOST_WAITING}, those that are given up soonest first. */
  readonly waiting: readonly Waiting[];
  readonly waiting_total: number;
  /** ISO instant until which the service wants no calls; null where it takes them. */
  readonly throttled_until: string | null;
  /** Whether no call found a place: the limits of calls let those of other runs go first. */
  readonly waits_for_place: boolean;
  /** Calls in flight that the service bears, as a worker has learnt; null where that is no fewer than it may have. */
  readonly learned_limit: number | null;
}

/** How the calls of a slice got on. */
export interface CallGate {
  /** Whether the limit of calls let none of its calls start. */
  readonly foundNoPlace: boolean;
  /** Epoch milliseconds until which the service wants no calls of an operation that it needs. */
  readonly gateUntil: number | null;
  /** The same, or of one link or user alone. */
  readonly pausedUntil?: number | null;
  /** Left out where the service bears as many calls in flight as the worker may have. */
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
  /** Undefined where so many others failed with it that it was not named. */
  readonly failure: NamedFailure | undefined;
}

/** Nothing waits. */
export function nothingWaits(): WaitingState {
  return {
    waiting: [],
    waiting_total: 0,
    throttled_until: null,
    waits_for_place: false,
    learned_limit: null,
  };
}

/** What waits among things that are not at their end, after a slice whose calls got on so. */
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
  const throttled_until = throttled === null ? null : instant(throttled);
  return {
    waiting: firstOf(waiting),
    waiting_total,
    throttled_until,
    waits_for_place: gate?.foundNoPlace ?? false,
    learned_limit: gate?.learnedLimit ?? null,
  };
}

/** What the parts of a run wait for together. */
export function allWaiting(parts: readonly WaitingState[]): WaitingState {
  const throttled = parts.flatMap(({ throttled_until }) => throttled_until ?? []).sort();
  return {
    waiting: firstOf(parts.flatMap(({ waiting }) => waiting)),
    waiting_total: parts.reduce((sum, part) => sum + part.waiting_total, 0),
    throttled_until: throttled.at(-1) ?? null,
    waits_for_place: parts.some(({ waits_for_place }) => waits_for_place),
    learned_limit: lowest(parts.flatMap(({ learned_limit }) => learned_limit ?? [])),
  };
}

/** Only the waiting state of something larger. */
export function waitingOf(state: WaitingState): WaitingState {
  const { waiting, waiting_total, throttled_until, waits_for_place, learned_limit } = state;
  return { waiting, waiting_total, throttled_until, waits_for_place, learned_limit };
}

/** Names the first {@link MOST_WAITING} that failed in a slice and are retried: no history holds ids in bulk. */
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

function lowest(limits: readonly number[]): number | null {
  return limits.length === 0 ? null : Math.min(...limits);
}

function firstOf(waiting: readonly Waiting[]): Waiting[] {
  return [...waiting].sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, MOST_WAITING);
}

function key(waiting: Waiting): string {
  return `${waiting.gives_up_at} ${waitingName(waiting)}`;
}

/** The name of a waiting thing for people: `link_…`, `fp_…`, or `line 12, fp_…`. */
export function waitingName(name: WaitingName): string {
  if ("link" in name) return name.link;
  return "line" in name ? `line ${name.line}, ${name.owner}` : name.owner;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** How long pauses of the service held calls of a run, over all of its parts together. */
export interface Pauses {
  readonly ms: number;
  /** Epoch milliseconds up to which pauses are counted. */
  readonly until: number;
}

export const NO_PAUSES: Pauses = { ms: 0, until: 0 };

/** Adds a pause that a part of the run reported at `at`; parts that pause at the same time count once. Pure. */
export function withPause(pauses: Pauses, at: number, until: number | null): Pauses {
  if (until === null || until <= pauses.until) return pauses;
  return { ms: pauses.ms + until - Math.max(at, pauses.until), until };
}

/** Milliseconds of pauses that are over at `at`: a run that ends within one has not waited for the rest of it. Pure. */
export function pausedMs({ ms, until }: Pauses, at: number): number {
  return Math.max(0, ms - Math.max(0, until - at));
}
