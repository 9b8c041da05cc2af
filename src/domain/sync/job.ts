import type { NewRun } from "../run.js";

/** Options of a sync: part of the job's identity, except for the page size. */
export interface SyncOptions {
  readonly streams: readonly string[];
  /** Only these links, or all of every user. */
  readonly links: readonly string[] | null;
  /** Read every link again from no cursor and accept large removals. */
  readonly full: boolean;
  /** Rows to request in one page; of two commands for one job, the one that starts the run decides. */
  readonly pageSize: number;
  /** Days that are read once more, where a stream that needs them is among the streams. */
  readonly lookback?: number;
  /** The run whose failed links and users this one retries. */
  readonly retryOf?: string;
}

/** The text whose sha256 names a job: the same roster, streams and options, in any order and with any page size. */
export function jobText(rosterSha256: string, options: SyncOptions): string {
  return JSON.stringify({
    kind: "sync",
    roster: rosterSha256,
    streams: [...options.streams].sort(),
    links: options.links === null ? null : [...new Set(options.links)].sort(),
    full: options.full,
    lookback: options.lookback,
    retry_of: options.retryOf,
  });
}

/** `sync/<scope>/<hash of the job>` */
export function syncWorkflowId(scope: string, jobSha256: string): string {
  return `sync/${scope}/${jobSha256.slice(0, 16)}`;
}

/** A sync as its workflow is started; the roster is frozen. */
export interface SyncRun extends NewRun {
  readonly jobId: string;
  readonly roster: { readonly sha256: string; readonly users: number; readonly groupSize: number };
  readonly options: SyncOptions;
}

/** One user of a job: the service's id and, if given, the customer's own. */
export interface RosterRow {
  readonly fp_id: string;
  readonly external_id?: string;
  /** Only these of the user's bank links; left out, those of the run's options. */
  readonly links?: readonly string[];
}

/** Sorts by `fp_id` in code-unit order, so that a set of users has the same form on every machine. */
export function canonicalRoster(rows: readonly RosterRow[]): RosterRow[] {
  return [...rows].sort((a, b) => (a.fp_id < b.fp_id ? -1 : a.fp_id > b.fp_id ? 1 : 0));
}

/** The canonical text of a roster, sorted by `fp_id`: its sha256 is `roster_sha256`, and part of the job's id. */
export function rosterText(rows: readonly RosterRow[]): string {
  return canonicalRoster(rows)
    .map(({ fp_id, external_id, links }) => `${JSON.stringify({ fp_id, external_id, links })}\n`)
    .join("");
}

/** Reads a canonical text back; it trusts the text, because only {@link rosterText} writes it. */
export function rosterRows(text: string): RosterRow[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RosterRow);
}
