import type { Unauthorized } from "../../domain/failures.js";
import type { Finding, Run, RunSummary } from "../../domain/run.js";
import type { Labelled } from "../../domain/words/texts.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import type { Preflight } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ProgressForm } from "./progress-view.js";
import type { RunEnd } from "./watch.js";

/** What tells the runs of one kind from others: how they look while they go, and when they end. */
export interface RunKind<Progress = unknown, Totals extends object = object> {
  /** First word of the ids of its runs. */
  readonly kind: string;
  /** What `users` counts in the table `runs`, if other things. */
  readonly rows?: string | undefined;
  /** A run that is given up keeps its staging, which alone knows what was sent: the next run continues it. */
  readonly keepsStaging?: boolean;
  /** A retry may send again what may have been carried out. */
  readonly mayBeUnsure?: boolean;
  readonly progress: ProgressForm<Progress>;
  remark?(progress: Progress, before: Progress | undefined): string | undefined;
  /** Whether a run that has been paused for so long will not continue by itself; left out: no run pauses. */
  isHalted?(progress: Progress, pausedMs: number): boolean;
  /** Names what the run works on, before the run itself. */
  name?(run: StartedRun): readonly [label: string, id: string];
  afterStart?(terminal: Terminal, session: JobSession, run: StartedRun): Promise<void>;
  /** Of a run without a result, because its command leaves it or it failed; it may read the lake. */
  left(run: WatchedRun<Progress>, preflight: Preflight): LeftTotals<Totals> | Promise<LeftTotals<Totals>>;
  notes?(result: RunSummary & Totals): readonly string[];
  summary(result: RunSummary & Totals): readonly Labelled[];
  problems?(result: RunSummary & Totals): readonly Labelled[];
  /** Id of the workflow that tries again what waits; left out: the run's own. */
  triedBy?(scope: string): string;
  /** Says what to do about what failed in a run that has ended. */
  next(run: Run, failed: readonly Finding[]): string[];
}

interface LeftTotals<Totals> {
  readonly totals: Totals;
  readonly notes?: readonly string[];
  /** Left out: not that the run knew. */
  readonly unauthorized?: Unauthorized;
}

/** A command's request for a run of a kind. */
export interface Job<Progress = unknown, Totals extends object = object> {
  readonly kind: RunKind<Progress, Totals>;
  /** The user whom the service is asked for before anything starts; left out: none. */
  readonly pingedUser?: string | undefined;
  /** The command that joins or continues the run; left out: the one that was typed. */
  readonly again?: string;
  start(session: JobSession): Promise<StartedRun>;
  /** Whether `start` says what it does, so that the run is not named. */
  readonly isNamed?: boolean;
  afterStart?(run: StartedRun): void;
  /** Until the run ends or the signal aborts. */
  whileWatched?(session: JobSession, run: StartedRun): Promise<void>;
  /** Waits for what a completed run leaves open. */
  afterEnd?(session: JobSession, result: RunSummary & Totals): Promise<RunEnd<RunSummary & Totals>>;
  /** Judges the result by what the command was given. */
  judge?(result: RunSummary & Totals): Promise<Judgement>;
  /** What the summary of a run without a result has in place of the judgement's fields. */
  readonly unjudged?: object;
}

interface Judgement {
  readonly also?: object;
  readonly notes: readonly string[];
  /** The command exits with 1 although the run completed. */
  readonly failed?: boolean;
}

/** A run as its command saw it last. */
export interface WatchedRun<Progress = unknown> {
  readonly started: StartedRun;
  /** Undefined where the run continues without the command. */
  readonly end: RunEnd<RunSummary> | undefined;
  readonly sofar: Progress | undefined;
  readonly watchedMs: number;
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
