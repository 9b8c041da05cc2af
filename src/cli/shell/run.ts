import { join } from "node:path";
import type { Unauthorized } from "../../domain/failures.js";
import { againWords, type EndReason, endReason, NO_REASON, type RunStatus } from "../../domain/run.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { progressOf } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import type { Preflight } from "../session/preflight.js";
import { showResult } from "../terminal/colours.js";
import { EXIT, exitCodeOfRun } from "../terminal/exit-code.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import { createProgressView, type ProgressForm } from "./progress-view.js";
import { type RunEnd, watchRun } from "./watch.js";

/** One run of a job as its command sees it: how it starts, how its progress is shown, and what its end means. */
export interface JobRun<Progress, Result> {
  /** Starts the run, or joins the same job's run that is in progress. */
  start(session: JobSession): Promise<StartedRun>;
  afterStart?(session: JobSession, started: StartedRun): Promise<void>;
  /** Does work beside watching the run, until the run ends or the signal aborts. */
  whileWatched?(session: JobSession, started: StartedRun): Promise<void>;
  readonly progress: ProgressForm<Progress>;
  /** Whether the command names the run itself when it finds it. */
  readonly isNamed?: boolean;
  /** The command that joins or continues the run; left out: the one that was typed. */
  readonly again?: string;
  /** Says something more about a progress; `before` is the one before it. */
  remark?(progress: Progress, before: Progress | undefined): string | undefined;
  /** Whether the run is paused, so that waiting is pointless. */
  isHalted?(progress: Progress): boolean;
  /** Waits for what a completed run leaves open. */
  afterEnd?(session: JobSession, result: Result): Promise<RunEnd<Result>>;
  /** Gathers what is known of a run that the command leaves; it may read the lake. */
  outcome(left: LeftRun<Progress, Result>, preflight: Preflight): RunOutcome | Promise<RunOutcome>;
}

export interface LeftRun<Progress, Result> {
  readonly started: StartedRun;
  /** Undefined where the run continues without the command. */
  readonly end: RunEnd<Result> | undefined;
  readonly sofar: Progress | undefined;
  readonly watchedMs: number;
}

export interface RunOutcome {
  readonly summary: { readonly status: RunStatus } & Partial<EndReason>;
  readonly text: string;
  readonly unauthorized: Unauthorized;
  /** Whether it exits with 1 although it completed. */
  readonly failed?: boolean;
  readonly notes: readonly string[];
}

/** Starts or joins a run and shows its progress until it ends or is paused; detached, it only starts it. */
export async function followRun<Progress, Result>(
  terminal: Terminal,
  session: JobSession,
  run: JobRun<Progress, Result>,
  detach = false,
): Promise<LeftRun<Progress, Result>> {
  const { temporal, signal } = session;
  signal.throwIfAborted();
  const started = await run.start(session);
  if (!run.isNamed)
    terminal.say(
      started.joined ? `joined run ${started.runId}, which is in progress` : `run ${started.runId}`,
    );
  // With a cluster, the log goes to standard error, where people have read this already, and workers log the runs.
  const note = (words: string) => temporal.embedded && session.log.info({ run_id: started.runId }, words);
  if (started.joined) note("a command joined the run");
  await run.afterStart?.(session, started);
  if (detach) {
    const sofar = started.joined ? await progressOf<Progress>(temporal.client, started.handle) : undefined;
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
      onSilence: () => view.silent(),
      onFailure: (words) => view.say(words),
    });
    let [end] = await Promise.all([watched, run.whileWatched?.(session, started)]);
    if (end.kind === "completed" && run.afterEnd) end = await run.afterEnd(session, end.result);
    if (end.kind === "interrupted") note("the command was interrupted; the run's progress is saved");
    // A cluster's run outlives its command: Ctrl-C only detaches.
    const continues = !temporal.embedded && end.kind === "interrupted";
    return { started, end: continues ? undefined : end, sofar, watchedMs: Date.now() - since };
  } finally {
    view.stop();
  }
}

export function reportRun(
  terminal: Terminal,
  left: LeftRun<unknown, unknown>,
  { summary, text, unauthorized, failed, notes }: RunOutcome,
  { json, again = terminal.again ?? "the same command" }: { readonly json: boolean; readonly again?: string },
): number {
  showResult(terminal, json, summary, () => text);
  const refused =
    unauthorized === true
      ? [
          "the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY in both places: " +
            `of this command (its environment, or ${join(terminal.cwd, ".env")}), and of the worker or \`dev\`, which keeps the key that it was started with`,
        ]
      : [];
  const { reason = null, message = null } = summary;
  const isWritten = left.end?.kind === "completed";
  const whole = (isWritten && againWords({ reason, message }, { run_id: left.started.runId })) || [];
  for (const note of [...notes, ...refused, ...endNotes(left, again)].concat(whole)) terminal.say(note);
  const code = exitCodeOfRun(summary, unauthorized);
  return failed && code === EXIT.completed ? EXIT.failures : code;
}

function endNotes({ started: { runId }, end }: LeftRun<unknown, unknown>, again: string): string[] {
  if (end === undefined)
    return [`run ${runId} continues without this command. Rejoin it with:`, `  ${again}`];
  if (end.kind === "interrupted")
    return [`interrupted: the progress of run ${runId} is saved. Continue it with:`, `  ${again}`];
  if (end.kind !== "failed") return [];
  return [`run ${runId} could not write how it ended. Do it again with:`, `  ${again}`];
}

/** The status of a run that left no result, and why it ended, if it did. */
export function endWithoutResult(
  end: Exclude<RunEnd<unknown>, { kind: "completed" }> | undefined,
): { readonly status: RunStatus } & EndReason {
  if (end === undefined) return { status: "running", ...NO_REASON };
  const status = end.kind === "halted" || end.kind === "interrupted" ? "paused" : end.kind;
  return { status, ...endReason({ status, step: end.kind === "failed" ? end.message : undefined }) };
}
