import { durationWords } from "../../domain/duration.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Finding } from "./findings.js";
import { jobRunOf, kindOf } from "./kinds.js";
import type { SeenRun } from "./seen-run.js";
import type { UnfinishedRun } from "./unfinished-runs.js";

/** A run in a line of at most 80 columns, but for a long schedule's name. */
export function runLine(run: SeenRun): string {
  const { run_id, status, schedule } = run;
  const words = [run_id.padEnd(31), status.padEnd(23), tookWords(run).padEnd(7), schedule ?? ""];
  return words.join("  ").trimEnd();
}

/** How long a run took; empty where it has not ended. */
export function tookWords({ started_at, finished_at }: SeenRun): string {
  return finished_at === null ? "" : durationWords(Date.parse(finished_at) - Date.parse(started_at));
}

/** What a run counted, but for zeros: `120 links, 3 failed`. */
export function countWords(counts: SeenRun["counts"], shown: readonly string[]): string {
  const told = shown.filter((name) => (counts[name] ?? 0) > 0);
  return told.map((name) => `${counts[name]} ${name.replaceAll("_", " ")}`).join(", ");
}

/** A finding in its line, and the action to take in the one below. */
export function findingLines({ status, reason, count, action, examples }: Finding): string[] {
  const more = count > examples.length ? ", …" : "";
  const why = reason === "" ? "" : ` ${reason}`;
  const line = `${status.padEnd(9)} ${count} ×${why}: ${examples.join(", ")}${more}`;
  return action === null ? [line] : [line, `${" ".repeat(10)}→ ${action}`];
}

/** How far a run is that has not ended, and what it needs to go on. */
export function openRunWords(terminal: Terminal, run: UnfinishedRun): string {
  const { run_id, status, running, progress } = run;
  const again = kindOf(run_id) === undefined ? "the same command" : `\`nightledger runs watch ${run_id}\``;
  if (status === "interrupted") return `interrupted: nothing works on it; ${again} continues it`;
  if (running === undefined || progress === undefined)
    return "no worker answers for it; start one with `nightledger dev` or `nightledger worker`";
  const never = () => Promise.reject(new Error("a run that is only looked at is not started"));
  const { progress: form } = jobRunOf(terminal, running, never);
  return `${status}: ${form.line(form.figures(progress))}`;
}
