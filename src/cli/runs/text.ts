import { continueCommand } from "../../domain/bulk/bulk-job.js";
import type { BulkProgress } from "../../domain/bulk/bulk-totals.js";
import { durationWords } from "../../domain/duration.js";
import { isRetried } from "../../domain/onboarding/batch/row-plan.js";
import { againWords, type Finding, type Run } from "../../domain/run.js";
import type { WaitingState } from "../../domain/waiting.js";
import { counted } from "../../domain/words/counted.js";
import { bytesWords, type Labelled } from "../../domain/words/texts.js";
import type { RunKind } from "../shell/kind.js";
import { averagePace } from "../shell/progress-view.js";
import { timeStamp } from "../terminal/clock.js";
import { waitingLines } from "../terminal/waiting-lines.js";
import { kindNamed, kindOf } from "./kinds.js";

/** How far a run in progress is, in users, customers or rows. */
interface RunFigures {
  readonly done: number;
  readonly total: number;
  /** On average since the run was asked for: `812 rows/s`; null where that is not known. */
  readonly rate: string | null;
  /** At that pace: `4 min left`; null where an estimate would mean nothing. */
  readonly left: string | null;
}

/** What a list shows; the year of a start is in the run's id. */
export const RUN_COLUMNS = ["run", "status", "started", "took", "did", "schedule"];

/** A run as a row of a list; for a program, its start is whole. */
export function runRow(run: Run, isForProgram = false): Readonly<Record<string, string>> {
  const { run_id, status, started_at, schedule } = run;
  const isWhole = isForProgram || started_at === "";
  const started = isWhole ? started_at : timeStamp(new Date(started_at)).slice(5, 16).replace("T", " ");
  const seen = { run: run_id, status, started, took: tookWords(run), did: doneWords(run) };
  return { ...seen, schedule: schedule ?? "" };
}

/** Says how long a run took; empty where it has not ended. */
export function tookWords({ started_at, finished_at }: Run): string {
  return finished_at === null ? "" : durationWords(Date.parse(finished_at) - Date.parse(started_at));
}

/** Writes what a run counted, without zeros: `120 links, 3 failed`. */
export function countWords(counts: Run["counts"], shown: readonly string[]): string {
  const told = shown.filter((name) => (counts[name] ?? 0) > 0);
  const wordsOf = (name: string) => (counts[name] === 1 ? (ONE[name] ?? name) : name).replaceAll("_", " ");
  return told.map((name) => `${counts[name]} ${wordsOf(name)}`).join(", ");
}

const ONE: Readonly<Record<string, string>> = {
  ...{ users: "user", customers: "customer", businesses: "business", rows: "row", requests: "request" },
  ...{ transactions: "transaction", links: "link", calls: "call", pages: "page", restarts: "restart" },
};

/** Says what a run did; empty where it has counted nothing yet. */
export function doneWords({ kind, counts: { users = 0, ...others } }: Run): string {
  const noun = kindNamed(kind)?.rows ?? "users";
  const done = { [noun]: users, ...others };
  return countWords(done, [noun, ...DONE]);
}

const DONE = [
  ...["equal", "differs", "unknown", "links", "synced", "unchanged", "still_reading", "skipped", "not_ready"],
  "failed",
  ...["created", "updated", "removed", "quarantined"],
];

/** Says what a run cost; null where that is not known. */
export function costWords({ counts }: Run): string | null {
  if (!("calls" in counts)) return null;
  const sent = countWords(counts, ["calls", "pages", "restarts"]) || "no calls";
  const paused = counts.paused_ms ?? 0;
  const { answer_bytes } = counts;
  return [
    sent,
    ...(answer_bytes === undefined ? [] : [`${bytesWords(answer_bytes)} of answers`]),
    ...(paused === 0 ? [] : [`${durationWords(paused)} paused by the service`]),
  ].join(", ");
}

/** Says what to do about what failed in a run that has ended, or about a run that was cancelled. */
export function nextWords(run: Parameters<RunKind["next"]>[0], findings: readonly Finding[]): string[] {
  const again = againWords(run, run);
  if (again !== undefined) return [again];
  const failed = findings.filter(({ status }) => isRetried(status));
  if (failed.length === 0 || run.finished_at === null) return [];
  return kindNamed(run.kind)?.next(run, failed) ?? [];
}

/** Says what was found, and below it the action to take. */
export function findingWords({ status, reason, count, action, examples }: Finding): Labelled {
  const more = count > examples.length ? ", …" : "";
  const why = reason === "" ? "" : ` ${reason}`;
  const found = `${count} ×${why}${examples.length === 0 ? "" : `: ${examples.join(", ")}${more}`}`;
  return [status, action === null ? found : [found, `→ ${action}`]];
}

/** Says how to finish a run that no worker works on. */
function continuation({ run_id, kind, status, home }: Run): string {
  const command = continueCommand(kind);
  if (home === "another")
    return `another machine or NIGHTLEDGER_HOME began it; once nothing runs it there, \`${command} --restart\` continues it here`;
  if (home === "unknown")
    return `\`${command}\` continues it, with --restart if another machine or NIGHTLEDGER_HOME began it`;
  if (home === "this") return `\`${command}\` continues it`;
  if (status === "lost") return "Temporal has no record of it; run the same command to start a new run";
  const again = kindOf(run_id) === undefined ? "the same command" : `\`nightledger runs watch ${run_id}\``;
  return `no worker is on it; ${again} continues it`;
}

export function openRunWords(run: Run): string {
  const { status, progress } = run;
  if (status === "interrupted" || status === "lost") return `${status}: ${continuation(run)}`;
  if (progress === undefined) return "it has just begun";
  if (progress === null)
    return "no worker is running; start one with `nightledger dev` or `nightledger worker`";
  const form = kindOf(run.run_id)?.progress;
  if (form === undefined) return `${status}: it is a run of no job that this version knows`;
  return `${status}: ${form.line(form.figures(progress))}, began at ${run.started_at}`;
}

/** How far a run in progress is; null where no worker answers. */
export function runFigures(run: Run): RunFigures | null {
  const form = kindOf(run.run_id)?.progress;
  if (form === undefined || run.progress == null) return null;
  const { done, total } = form.figures(run.progress);
  const { rate, left } = averagePace(form, run.progress, Date.parse(run.started_at));
  return { done, total, rate: rate[0] ?? null, left: left[0] ?? null };
}

/** Says at what pace a run goes; nothing where that is not known. */
export function averageWords(figures: RunFigures | null): string {
  const rate = figures?.rate ? `${figures.rate} on average` : "";
  return [rate, figures?.left ?? ""].filter((words) => words !== "").join(", ");
}

export function waitingWords({ progress }: Run): string[] {
  const told = progress as Partial<BulkProgress> | null | undefined;
  return [
    ...(told?.waiting === undefined ? [] : waitingLines(told as WaitingState, Date.now())),
    ...(told?.learned_limit
      ? [`${counted(told.learned_limit, "call")} at once, as the service bears them`]
      : []),
  ];
}
