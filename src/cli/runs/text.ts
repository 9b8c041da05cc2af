import { durationWords } from "../../domain/duration.js";
import type { WaitingState } from "../../domain/waiting.js";
import { JOBS } from "../../jobs/index.js";
import type { Terminal } from "../terminal/terminal.js";
import { waitingLines } from "../terminal/waiting-lines.js";
import type { Finding } from "./findings.js";
import { jobRunOf, kindOf } from "./kinds.js";
import type { SeenRun } from "./seen-run.js";
import type { UnfinishedRun } from "./unfinished-runs.js";

/** Writes a run as a line of at most 80 columns, or more if its schedule's name is long. */
export function runLine(run: SeenRun): string {
  const { run_id, status, schedule } = run;
  const words = [run_id.padEnd(31), status.padEnd(23), tookWords(run).padEnd(7), schedule ?? ""];
  return words.join("  ").trimEnd();
}

/** Says how long a run took; empty where it has not ended. */
export function tookWords({ started_at, finished_at }: SeenRun): string {
  return finished_at === null ? "" : durationWords(Date.parse(finished_at) - Date.parse(started_at));
}

/** Writes what a run counted, without zeros: `120 links, 3 failed`. */
export function countWords(counts: SeenRun["counts"], shown: readonly string[]): string {
  const told = shown.filter((name) => (counts[name] ?? 0) > 0);
  return told.map((name) => `${counts[name]} ${name.replaceAll("_", " ")}`).join(", ");
}

export function retryCommand({ run_id, kind, job_id }: SeenRun): string {
  return `nightledger ${kind === "onboard" ? `batch retry ${job_id}` : `runs retry ${run_id}`}`;
}

/** Writes a finding as a line, and the action to take below it. */
export function findingLines({ status, reason, count, action, examples }: Finding): string[] {
  const more = count > examples.length ? ", …" : "";
  const why = reason === "" ? "" : ` ${reason}`;
  const line = `${status.padEnd(9)} ${count} ×${why}: ${examples.join(", ")}${more}`;
  return action === null ? [line] : [line, `${" ".repeat(10)}→ ${action}`];
}

/** Says how to finish a run that no worker works on. */
function continuation({ run_id, kind, status }: UnfinishedRun): string {
  if (JOBS.some((job) => job.effect && job.kind === kind))
    return `\`nightledger ${kind}s continue\` continues it`;
  if (status === "lost") return "Temporal has no record of it; run the same command to start a new run";
  const again = kindOf(run_id) === undefined ? "the same command" : `\`nightledger runs watch ${run_id}\``;
  return `no worker is on it; ${again} continues it`;
}

/** Says how far an unfinished run is, and what it needs to continue. */
export function openRunWords(terminal: Terminal, run: UnfinishedRun): string {
  const { status, running, progress } = run;
  if (status === "interrupted" || status === "lost") return `${status}: ${continuation(run)}`;
  if (running === undefined || progress === undefined)
    return "no worker is running; start one with `nightledger dev` or `nightledger worker`";
  const never = () => Promise.reject(new Error("a run that is only shown is not started"));
  const { progress: form } = jobRunOf(terminal, running, never);
  return `${status}: ${form.line(form.figures(progress))}`;
}

export function waitingWords({ progress }: UnfinishedRun): string[] {
  const told = progress as Partial<WaitingState> | undefined;
  return told?.waiting === undefined ? [] : waitingLines(told as WaitingState, Date.now());
}
