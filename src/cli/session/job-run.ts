import type { RunStatus } from "../../domain/run.js";
import { type WaitingState, waitingOf } from "../../domain/waiting.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { EXIT, exitCodeOfRun } from "../terminal/exit-code.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import type { JobSession } from "./job-session.js";
import { createProgressView, type ProgressForm } from "./progress-view.js";
import { progressOf, type RunEnd, watchRun } from "./run-watch.js";

/** One run of a job as its command sees it: how it starts, what is shown of it, what is said at its end. */
export interface JobRun<Progress, Result> {
  /** Starts the run, or joins the one of the same job that is going on. */
  start(session: JobSession): Promise<StartedRun>;
  /** Says what else is going on. */
  afterStart?(session: JobSession, started: StartedRun): Promise<void>;
  /** What the command does while it watches the run; it ends with the run, or when it is aborted. */
  whileWatched?(session: JobSession, started: StartedRun): Promise<void>;
  readonly progress: ProgressForm<Progress>;
  /** What joins the run, or continues it; left out, the same command. */
  readonly again?: string;
  /** What to say of a progress besides showing it; `before` is the last one. */
  remark?(progress: Progress, before: Progress | undefined): string | undefined;
  /** Whether the run stands still, so that nothing is gained by waiting; left out, it never does. */
  isHalted?(progress: Progress): boolean;
  /** What else a run that is completed waits for. */
  afterEnd?(session: JobSession, result: Result): Promise<RunEnd<Result>>;
  outcome(left: LeftRun<Progress, Result>): RunOutcome | Promise<RunOutcome>;
}

/** A run as its command leaves it. */
export interface LeftRun<Progress, Result> {
  readonly started: StartedRun;
  /** Undefined where the run goes on without the command. */
  readonly end: RunEnd<Result> | undefined;
  /** What was seen last. */
  readonly sofar: Progress | undefined;
  readonly watchedMs: number;
}

/** What is known of a run as its command leaves it. */
interface RunOutcome {
  /** What `--json` prints. */
  readonly summary: { readonly status: RunStatus };
  /** The summary for people. */
  readonly text: string;
  /** The service refused the credentials. */
  readonly unauthorized: boolean;
  /** Whether it exits with 1 although it completed. */
  readonly failed?: boolean;
  /** What to say besides the summary. */
  readonly notes: readonly string[];
}

/** Starts or joins a run and shows its progress to its end, or until it stands still; detached it only starts it. */
export async function followRun<Progress, Result>(
  terminal: Terminal,
  session: JobSession,
  run: JobRun<Progress, Result>,
  detach = false,
): Promise<LeftRun<Progress, Result>> {
  const { temporal, signal } = session;
  const started = await run.start(session);
  terminal.say(started.joined ? `joined run ${started.runId}, which is going on` : `run ${started.runId}`);
  await run.afterStart?.(session, started);
  if (detach) {
    const sofar = started.joined ? await progressOf<Progress>(temporal, started.handle) : undefined;
    return { started, end: undefined, sofar, watchedMs: 0 };
  }
  const since = Date.now();
  let sofar: Progress | undefined;
  const view = createProgressView(withTimeStamps(terminal), run.progress);
  try {
    const watched = watchRun<Progress, Result>(temporal, started.handle, {
      signal,
      onProgress: (progress) => {
        const remark = run.remark?.(progress, sofar);
        if (remark !== undefined) view.say(remark);
        sofar = progress;
        view.show(progress);
      },
      isHalted: (progress) => run.isHalted?.(progress) ?? false,
      onSilence: () => view.silent(temporal.embedded),
      onFailure: (words) => view.say(words),
    });
    let [end] = await Promise.all([watched, run.whileWatched?.(session, started)]);
    if (end.kind === "completed" && run.afterEnd) end = await run.afterEnd(session, end.result);
    // A cluster's run does not end with its command: Ctrl-C only detaches.
    const goesOn = !temporal.embedded && end.kind === "interrupted";
    return { started, end: goesOn ? undefined : end, sofar, watchedMs: Date.now() - since };
  } finally {
    view.stop();
  }
}

/** Says how a run went; the exit code. */
export async function reportRun<Progress, Result>(
  terminal: Terminal,
  run: JobRun<Progress, Result>,
  left: LeftRun<Progress, Result>,
  json: boolean,
): Promise<number> {
  const { summary, text, unauthorized, failed, notes } = await run.outcome(left);
  terminal.result(json ? JSON.stringify(summary) : text);
  for (const note of [...endNotes(left, run.again), ...notes]) terminal.say(note);
  const code = exitCodeOfRun(summary, unauthorized);
  return failed && code === EXIT.completed ? EXIT.failures : code;
}

function endNotes(
  { started: { runId }, end }: LeftRun<unknown, unknown>,
  again = "the same command",
): string[] {
  if (end === undefined) return [`run ${runId} goes on without this command; ${again} joins it`];
  if (end.kind === "interrupted")
    return [`interrupted: run ${runId} stands as it is, and ${again} goes on with it`];
  return end.kind === "failed" ? [`run ${runId} failed: ${end.message}`] : [];
}

/** What a run waits for that its command left before its end; undefined where it has ended, or nothing is known. */
export function waitsOf({ end, sofar }: LeftRun<WaitingState, unknown>): WaitingState | undefined {
  const isLeft = end === undefined || end.kind === "interrupted" || end.kind === "halted";
  return isLeft && sofar !== undefined ? waitingOf(sofar) : undefined;
}

/** The status of a run that has no result of its own. */
export function statusWithoutResult(
  end: Exclude<RunEnd<unknown>, { kind: "completed" }> | undefined,
): RunStatus {
  if (end === undefined) return "running";
  return end.kind === "halted" || end.kind === "interrupted" ? "paused" : end.kind;
}
