import type { NewRun } from "../run.js";

/** What is asked of a sync, apart from the people: part of the job's identity. */
export interface SyncOptions {
  /** Names of streams. */
  readonly streams: readonly string[];
  /** Only these links, or all of every user. */
  readonly links: readonly string[] | null;
  /** Read every link again from no cursor and accept large removals. */
  readonly full: boolean;
  /** Rows asked for in one page. */
  readonly pageSize: number;
  /** Run whose failed links and users these are; left out of any other. */
  readonly retryOf?: string;
}

/**
 * The text whose sha256 names a job, so that Temporal refuses a second run of it at the same time.
 * Two commands with the same roster, streams and options are the same job, in whatever order they were given.
 */
export function jobText(rosterSha256: string, options: SyncOptions): string {
  return JSON.stringify({
    kind: "sync",
    roster: rosterSha256,
    streams: [...options.streams].sort(),
    links: options.links === null ? null : [...new Set(options.links)].sort(),
    full: options.full,
    page_size: options.pageSize,
    ...(options.retryOf !== undefined && { retry_of: options.retryOf }),
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
