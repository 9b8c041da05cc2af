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

/**
 * The text whose sha256 names a job, so that Temporal refuses a second run of it at the same time. Commands with the same
 * roster, streams and options, in any order and with any page size, are the same job.
 */
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
