import type { EndReason, RunStatus } from "../../domain/run.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { JobRun } from "./run.js";
import type { JobFlags } from "./shell.js";

/** Options of every retry; those of a batch have no meaning for other jobs, nor the inputs of one kind for others. */
export interface RetryFlags extends JobFlags {
  readonly sendUnknown?: boolean;
  readonly [input: string]: unknown;
}

/** What one kind of run says of itself: all that `runs` and `status` know of it. */
export interface RunKind {
  /** First word of the ids of its runs. */
  readonly kind: string;
  /** What `users` counts in the table `runs`, if other things. */
  readonly rows?: string | undefined;
  /** Whether a run that is given up keeps its staging, which alone knows what was sent: the next run continues it. */
  readonly keepsStaging?: boolean;
  /** Whether a retry may send again what may have been carried out. */
  readonly mayBeUnsure?: boolean;
  /** Makes a run in progress as its own command sees it. */
  runOf(
    terminal: Terminal,
    workflowId: string,
    join: (session: JobSession) => Promise<StartedRun>,
  ): JobRun<unknown, unknown>;
  /** Id of the workflow that tries again what waits for its next try; left out: the run's own. */
  triedBy?(scope: string): string;
  /** Cancels a run in its own way; left out: as every workflow. Returns the exit code. @throws InputError */
  cancel?(terminal: Terminal, id: string, json: boolean): Promise<number>;
  /** Runs again what failed. Returns the exit code. @throws InputError */
  retry(terminal: Terminal, id: string, flags: RetryFlags): Promise<number>;
  /** The options that its retry must be given again, because nothing keeps what they held; left out: none. */
  givenAgain?(sealed: SealedStore, runId: string): Promise<readonly string[]>;
  /** Says what to do about what failed in a run that has ended; `command` is the line that asked for it. */
  next(run: SeenRun & { readonly command?: string | null }, failed: readonly Finding[]): string[];
  /** The action to take about a finding that does not name one itself. */
  action?(finding: Pick<Finding, "status" | "reason">): string | null;
  /** Its own tables, which its queries read. */
  readonly tables?: readonly TableSpec[];
  /** Selects things of a run that did not end well, with `owner`; left out: by the tables that every other kind writes. */
  failedRows?(run: Pick<SeenRun, "job_id">): string;
  /** Selects rows that a run skipped, with `reason` and `owner`. */
  skippedRows?(runId: string): string | undefined;
  /** Selects what its tables count besides rows: `name` and `count`. */
  countedRows?(runId: string): string | undefined;
}

/** What the note of a retry begins with. */
export const RETRY_ONLY = "retry only what failed: nightledger";

const RIGHT_IDS = "put the unknown ids right in the file and run it again: a retry asks for the same ones";

/**
 * What to do about things that failed for some reasons: the retry, unless all of them would fail again.
 *
 * @param isAll whether these are the reasons of all of them
 */
export function retrySteps(retry: string, reasons: readonly string[], isAll = true): string[] {
  const wrong = reasons.filter((reason) => /^not_found|user not found/.test(reason)).length;
  if (wrong === 0) return [retry];
  return isAll && wrong === reasons.length ? [RIGHT_IDS] : [RIGHT_IDS, retry];
}

/** A run as a command found it: in the table `runs`, in Temporal, or by what it left in the staging area. */
export interface SeenRun extends EndReason {
  readonly run_id: string;
  readonly kind: string;
  /** Id of the job; for onboarding that of the batch; null where only the run's end will tell. */
  readonly job_id: string | null;
  /**
   * `interrupted`: it has not ended, and nothing works on it now. `lost`: only its staging is left, and Temporal does not
   * know it, because it was terminated or Temporal's database is another one.
   */
  readonly status: RunStatus | "interrupted" | "lost";
  readonly schedule: string | null;
  /** ISO instant at which its schedule was due. */
  readonly scheduled_at: string | null;
  /** ISO instant. */
  readonly started_at: string;
  /** ISO instant; null where it has not ended. */
  readonly finished_at: string | null;
  /** Counts by column of `runs`, without those that its kind does not have. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was asked for; null where only the run's end will tell. */
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Things that ended in the same way in a run, and what to do about them. */
export interface Finding {
  readonly status: string;
  readonly reason: string;
  readonly count: number;
  readonly action: string | null;
  /** The first few: bank links, users, lines of the file. */
  readonly examples: readonly string[];
}

export const SEEN_STATUSES: readonly SeenRun["status"][] = [
  "running",
  "paused",
  "interrupted",
  "lost",
  "completed",
  "completed_with_failures",
  "failed",
  "cancelled",
];

export interface RunFilter {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly schedule?: string | undefined;
  /** ISO instant: only runs that were requested then or later. */
  readonly since?: string | undefined;
  /** Id of a run that has ended: only those that a list has after it. */
  readonly after?: string | undefined;
}

/** Whether a run that has not ended is asked for; a list has these before all others. */
export function isAsked(run: SeenRun, { kind, status, schedule, since, after }: RunFilter): boolean {
  return (
    after === undefined &&
    (kind === undefined || run.kind === kind) &&
    (status === undefined || run.status === status) &&
    (schedule === undefined || run.schedule === schedule) &&
    (since === undefined || Date.parse(run.started_at) >= Date.parse(since))
  );
}
