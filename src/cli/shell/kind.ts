import type { Finding, SeenRun } from "../../domain/seen-run.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { JobRun } from "./run.js";
import type { JobFlags } from "./shell.js";

export interface RetryFlags extends JobFlags {
  readonly sendUnknown?: boolean;
}

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
