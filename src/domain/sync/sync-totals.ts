import type { LinkStatus } from "./link-reading.js";
import { addSkipped, type SkippedLinks, skippedLinks } from "./skipped-links.js";

/** One thing that failed: which stream, whose (`link_id` or `fp_id`), why. */
export interface Failure {
  readonly stream: string;
  readonly owner: string;
  readonly reason: string;
}

/** Counts of a sync, or of a part of it; parts add up. */
export interface SyncTotals {
  readonly users: { readonly total: number; readonly failed: number };
  readonly links: { readonly [status in LinkStatus]: number };
  readonly skipped: SkippedLinks;
  /** Feed rows committed, inferred removals under `removed`; `quarantined` counts rows of every stream. */
  readonly rows: {
    readonly created: number;
    readonly updated: number;
    readonly removed: number;
    readonly quarantined: number;
  };
  readonly pages: number;
  readonly restarts: number;
  /** Requests sent, repeats included. */
  readonly calls: number;
  /** The first hundred. */
  readonly failures: readonly Failure[];
  readonly failures_total: number;
}

const MOST_FAILURES = 100;

/** The owner of a failure that is not a link or user: the step that reads and commits links. */
export const READING = "reading";

/** As {@link READING}, for the step that brings `transactions` up to the feed. */
export const MATERIALIZE = "materialize";

/** Whether a failure is that of a step, not of a link or user. Release 0.1.0 named groups of users. */
export function isStep(owner: string): boolean {
  return owner === READING || owner === MATERIALIZE || /^g\d+(-again)?$/.test(owner);
}

/** What to do where a step failed. */
export const SAME_SYNC = "run the same sync again: each link that was committed costs only one call";

/** The totals of a run that has done nothing yet. */
export function noTotals(): SyncTotals {
  return {
    users: { total: 0, failed: 0 },
    links: { synced: 0, unchanged: 0, skipped: 0, not_ready: 0, failed: 0, superseded: 0 },
    skipped: skippedLinks(),
    rows: { created: 0, updated: 0, removed: 0, quarantined: 0 },
    pages: 0,
    restarts: 0,
    calls: 0,
    failures: [],
    failures_total: 0,
  };
}

function sum<K extends string>(
  a: Readonly<Record<K, number>>,
  b: Readonly<Record<K, number>>,
): Record<K, number> {
  const total = { ...a } as Record<K, number>;
  // A run that an older version began has no count of a new status.
  for (const key of Object.keys(b) as K[]) total[key] = (total[key] ?? 0) + b[key];
  return total;
}

/** Adds two parts. */
export function addTotals(a: SyncTotals, b: SyncTotals): SyncTotals {
  return {
    users: sum(a.users, b.users),
    links: sum(a.links, b.links),
    skipped: addSkipped(a.skipped, b.skipped),
    rows: sum(a.rows, b.rows),
    pages: a.pages + b.pages,
    restarts: a.restarts + b.restarts,
    calls: a.calls + b.calls,
    failures: [...a.failures, ...b.failures].slice(0, MOST_FAILURES),
    failures_total: a.failures_total + b.failures_total,
  };
}

/** Adds one failure. */
export function withFailure(totals: SyncTotals, failure: Failure): SyncTotals {
  return {
    ...totals,
    failures: [...totals.failures, failure].slice(0, MOST_FAILURES),
    failures_total: totals.failures_total + 1,
  };
}
