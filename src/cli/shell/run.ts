import { join } from "node:path";
import { againWords, type EndReason, endReason, NO_REASON, type RunSummary } from "../../domain/run.js";
import { allWaiting } from "../../domain/waiting.js";
import { progressOf } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import type { Preflight } from "../session/preflight.js";
import { showResult } from "../terminal/colours.js";
import { EXIT, exitCodeOfRun } from "../terminal/exit-code.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import { waitingLines } from "../terminal/waiting-lines.js";
import type { Job, WatchedRun } from "./kind.js";
import { createProgressView } from "./progress-view.js";
import { summaryLines } from "./summary.js";
import { watchRun } from "./watch.js";

/** Starts or joins a run and shows its progress until it ends or is paused; detached, it only starts it. */
export async function followRun(
  terminal: Terminal,
  session: JobSession,
  job: Job,
  detach = false,
): Promise<WatchedRun> {
  const { temporal, signal } = session;
  const { kind } = job;
  signal.throwIfAborted();
  const started = await job.start(session);
  const { runId, joined, handle } = started;
  if (kind.name) terminal.say(kind.name(started).join(" "));
  if (!job.isNamed) terminal.say(joined ? `joined run ${runId}, which is in progress` : `run ${runId}`);
  // With a cluster, the log goes to standard error, where people have read this already, and workers log the runs.
  const note = (words: string) => temporal.embedded && session.log.info({ run_id: runId }, words);
  if (joined) note("a command joined the run");
  job.afterStart?.(started);
  await kind.afterStart?.(terminal, session, started);
  if (detach) {
    const sofar = joined ? await progressOf(temporal.client, handle) : undefined;
    return { started, end: undefined, sofar, watchedMs: 0 };
  }
  const since = Date.now();
  let sofar: unknown;
  let pausedAt: number | undefined;
  const view = createProgressView(withTimeStamps(terminal), kind.progress);
  try {
    const watched = watchRun<unknown, RunSummary>(temporal, handle, {
      signal,
      onProgress: (progress) => {
        const remark = kind.remark?.(progress, sofar);
        if (remark !== undefined) view.say(remark);
        sofar = progress;
        view.show(progress);
      },
      isHalted(progress) {
        pausedAt = isPaused(progress) ? (pausedAt ?? Date.now()) : undefined;
        return pausedAt !== undefined && (kind.isHalted?.(progress, Date.now() - pausedAt) ?? false);
      },
      onSilence: () => view.silent(),
      onFailure: (words) => view.say(words),
    });
    let [end] = await Promise.all([watched, job.whileWatched?.(session, started)]);
    if (end.kind === "completed" && job.afterEnd) end = await job.afterEnd(session, end.result);
    if (end.kind === "interrupted") note("the command was interrupted; the run's progress is saved");
    // A cluster's run outlives its command: Ctrl-C only detaches.
    const continues = !temporal.embedded && end.kind === "interrupted";
    return { started, end: continues ? undefined : end, sofar, watchedMs: Date.now() - since };
  } finally {
    view.stop();
  }
}

/** Whether a progress is that of a paused run. */
export function isPaused(progress: unknown): boolean {
  return ((progress as { readonly paused?: unknown } | undefined)?.paused ?? null) !== null;
}

/** Prints how a run ended, or how its command leaves it, and what to do next. Returns the exit code. */
export async function reportRun(
  terminal: Terminal,
  preflight: Preflight,
  job: Job,
  run: WatchedRun,
  json: boolean,
): Promise<number> {
  const { summary, text, unauthorized, failed, notes } = await outcomeOf(job, run, preflight);
  showResult(terminal, json, summary, () => text);
  const again = job.again ?? terminal.again ?? "the same command";
  const whole =
    run.end?.kind === "completed" ? againWords(summary, { run_id: run.started.runId }) : undefined;
  const refused =
    "the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY in both places: " +
    `of this command (its environment, or ${join(terminal.cwd, ".env")}), and of the worker or \`dev\`, which keeps the key that it was started with`;
  const said = [...notes, ...(unauthorized === true ? [refused] : []), ...againNotes(run, again)];
  for (const note of whole === undefined ? said : [...said, whole]) terminal.say(note);
  const code = exitCodeOfRun(summary, unauthorized);
  return failed && code === EXIT.completed ? EXIT.failures : code;
}

/** Makes the summary of a run, in JSON and in words, and the notes below it. */
export async function outcomeOf(job: Job, run: WatchedRun, preflight: Preflight) {
  const { kind } = job;
  const { end, started, sofar, watchedMs } = run;
  const names = kind.name ? [kind.name(started)] : [];
  if (end?.kind === "completed") {
    const { result } = end;
    const { unauthorized = false, ...summary } = result;
    const { also, failed = false, notes = [] } = (await job.judge?.(result)) ?? {};
    const text = summaryLines(kind, result, names).join("\n");
    const all = [...(kind.notes?.(result) ?? []), ...notes];
    return { summary: { ...summary, ...also }, text, unauthorized, failed, notes: all };
  }
  const { totals, notes = [], unauthorized = false } = await kind.left(run, preflight);
  const own = { run_id: started.runId, ...endWithoutResult(end), ...totals, ...job.unjudged };
  const summary = { ...own, duration_ms: watchedMs, lake_root: null };
  const lines = summaryLines(kind, summary, names);
  const isOver = end?.kind === "failed" || end?.kind === "cancelled";
  const state = isOver || sofar === undefined ? undefined : kind.progress.waiting?.(sofar);
  const waits = state && allWaiting([state]);
  if (waits !== undefined) lines.push(...waitingLines(waits, Date.now()));
  return { summary: { ...summary, ...waits }, text: lines.join("\n"), unauthorized, failed: false, notes };
}

function againNotes({ started: { runId }, end }: WatchedRun, again: string): string[] {
  if (end === undefined)
    return [`run ${runId} continues without this command. Rejoin it with:`, `  ${again}`];
  if (end.kind === "interrupted")
    return [`interrupted: the progress of run ${runId} is saved. Continue it with:`, `  ${again}`];
  if (end.kind !== "failed") return [];
  return [`run ${runId} could not write how it ended. Do it again with:`, `  ${again}`];
}

/** The status of a run that left no result, and why it ended, if it did. */
function endWithoutResult(
  end: Exclude<WatchedRun["end"], { kind: "completed" }>,
): EndReason & Pick<RunSummary, "status"> {
  if (end === undefined) return { status: "running", ...NO_REASON };
  const status = end.kind === "halted" || end.kind === "interrupted" ? "paused" : end.kind;
  return { status, ...endReason({ status, step: end.kind === "failed" ? end.message : undefined }) };
}
