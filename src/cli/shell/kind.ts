import type { StartedRun } from "../../intake/start-or-join.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { JobRun } from "./run.js";
import type { Finding, SeenRun } from "./seen-run.js";
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
  /** Says what to do about what failed in a run that has ended. */
  next(run: SeenRun, failed: readonly Finding[]): string[];
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
