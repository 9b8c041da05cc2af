import type { NewRun } from "../run.js";

export interface SyncOptions {
  readonly streams: readonly string[];
  readonly links: readonly string[] | null;
  /** Read every link again from no cursor and accept large removals. */
  readonly full: boolean;
  /** No part of the job's identity: the command that starts the run decides. */
  readonly pageSize: number;
  readonly lookback?: number;
  /** The run that this one retries. */
  readonly retryOf?: string;
}

/** The text whose sha256 names a job, whatever the order of users and streams. */
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

export interface SyncRun extends NewRun {
  readonly jobId: string;
  readonly roster: { readonly sha256: string; readonly users: number; readonly groupSize: number };
  readonly options: SyncOptions;
}

/** The service's id and, if given, the customer's own. */
export interface RosterRow {
  readonly fp_id: string;
  readonly external_id?: string;
  /** Left out: those of the run's options. */
  readonly links?: readonly string[];
}

/** Sorts in code-unit order, the same on every machine. */
export function canonicalRoster(rows: readonly RosterRow[]): RosterRow[] {
  return [...rows].sort((a, b) => (a.fp_id < b.fp_id ? -1 : a.fp_id > b.fp_id ? 1 : 0));
}

/** Writes the canonical text: its sha256 is `roster_sha256`, and part of the job's id. */
export function rosterText(rows: readonly RosterRow[]): string {
  return canonicalRoster(rows)
    .map(({ fp_id, external_id, links }) => `${JSON.stringify({ fp_id, external_id, links })}\n`)
    .join("");
}

/** Reads what {@link rosterText} wrote. */
export function rosterRows(text: string): RosterRow[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RosterRow);
}
