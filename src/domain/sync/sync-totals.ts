import { MOST_FAILURES, NO_CALLS, type Totals } from "../counts.js";
import type { LinkStatus } from "./link.js";
import { type SkippedLinks, skippedLinks } from "./link-obstacle.js";

/** Whose: `link_id` or `fp_id`. */
export interface Failure {
  readonly stream: string;
  readonly owner: string;
  readonly reason: string;
}

export interface SyncTotals extends Totals<Failure> {
  /** `total` includes those who were forgotten, who are not read. */
  readonly users: { readonly total: number; readonly failed: number; readonly forgotten?: number };
  readonly links: { readonly [status in LinkStatus]: number };
  readonly skipped: SkippedLinks;
  /** Rows created under the id of another posted transaction, whose place they took. */
  readonly id_conflicts?: number;
  /** Links in state `error` whose past rows were read. */
  readonly in_error?: SkippedLinks;
  /** Inferred removals are `removed`; `quarantined` counts every stream. */
  readonly rows: {
    readonly created: number;
    readonly updated: number;
    readonly removed: number;
    readonly quarantined: number;
  };
  readonly pages: number;
  readonly restarts: number;
}

/** The owner of a failure of the step that reads and commits links. */
export const READING = "reading";

/** Of the step that brings `transactions` up. */
export const MATERIALIZE = "materialize";

/** Not of a link or user. */
export function isStep(owner: string): boolean {
  return owner === READING || owner === MATERIALIZE;
}

export function noTotals(): SyncTotals {
  return {
    users: { total: 0, failed: 0 },
    links: {
      ...{ synced: 0, unchanged: 0, still_reading: 0 },
      ...{ skipped: 0, not_ready: 0, failed: 0, superseded: 0 },
    },
    skipped: skippedLinks(),
    rows: { created: 0, updated: 0, removed: 0, quarantined: 0 },
    pages: 0,
    restarts: 0,
    ...NO_CALLS,
    new_fields: [],
    failures: [],
    failures_total: 0,
  };
}

/** Adds one failure; that of a step goes first, because it is why the run ended. */
export function withFailure(totals: SyncTotals, failure: Failure): SyncTotals {
  const { failures } = totals;
  return {
    ...totals,
    failures: (isStep(failure.owner) ? [failure, ...failures] : [...failures, failure]).slice(
      0,
      MOST_FAILURES,
    ),
    failures_total: totals.failures_total + 1,
  };
}
