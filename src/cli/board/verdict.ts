import { kindWords } from "../../domain/bulk/bulk-job.js";
import { DAY, durationWords } from "../../domain/duration.js";
import { turnOf } from "../../domain/sync/link-obstacle.js";
import type { HeadNumber } from "../../pages/parts.js";
import type { LakeStatus } from "../runs/lake-status.js";

/** How things are, in a word, a sentence and four numbers. */
interface BoardVerdict {
  readonly isWell: boolean;
  readonly word: string;
  readonly tone: "good" | "bad" | "note";
  readonly sentence: string;
  readonly numbers: readonly HeadNumber[];
}

type Judged = Pick<LakeStatus, "lake_exists" | "latest" | "unfinished" | "alerts" | "quarantined" | "stale">;

/** A lake in which nothing has run for longer asks for somebody's attention. */
const SILENT_MS = 3 * DAY;

/**
 * Judges by what `status` knows.
 *
 * @param reviews customers who wait for somebody's review
 * @param now epoch milliseconds
 */
export function verdictOf(status: Judged, reviews: number, now: number): BoardVerdict {
  const { lake_exists, latest, unfinished, alerts, quarantined, stale } = status;
  const [newest] = latest;
  const bad = latest.filter((run) => run.status === "failed" || run.status === "completed_with_failures");
  const stuck = unfinished.filter((run) => run.status === "interrupted" || run.status === "lost");
  const age = newest && now - Date.parse(newest.finished_at ?? newest.started_at);
  const last = newest && age !== undefined && `${kindWords(newest.kind)} ended ${durationWords(age)} ago`;
  const troubles = [
    ...(lake_exists ? [] : ["there is no lake at this address"]),
    ...(age === undefined || age < SILENT_MS ? [] : ["nothing has run since"]),
    ...bad.map(
      (run) =>
        `${kindWords(run.kind)}${run.schedule === null ? "" : ` ${run.schedule}`} ${run.status.replaceAll("_", " ")}`,
    ),
    ...(stuck.length === 0 ? [] : [`${counted(stuck.length, "run was", "runs were")} left unfinished`]),
    ...(alerts.length === 0 ? [] : [`${counted(alerts.length, "alert is", "alerts are")} open`]),
    ...(quarantined === 0 ? [] : [counted(quarantined, "bad row waits", "bad rows wait")]),
    ...(stale.total === 0
      ? []
      : [`${counted(stale.total, "link has", "links have")} had no commit for three days`]),
  ];
  const isWell = troubles.length === 0 && newest !== undefined;
  const theirs = skippedFor(latest, "customer");
  const ours = skippedFor(latest, "operator");
  const waits = [
    ...(reviews === 0 ? [] : [`${counted(reviews, "customer waits", "customers wait")} for a review`]),
    ...(ours === 0 ? [] : [`${counted(ours, "link needs", "links need")} a check in the dashboard`]),
    ...(theirs === 0 ? [] : [`${counted(theirs, "link waits", "links wait")} for their customer`]),
  ];
  const running = unfinished.length - stuck.length;
  const sentences = [
    last === undefined ? "Nothing has run yet." : `The last ${last}.`,
    ...(running === 0 ? [] : [`${counted(running, "run is", "runs are")} in progress.`]),
    ...(isWell && waits.length === 0 ? ["Nothing needs you."] : []),
    ...(troubles.length + waits.length === 0 ? [] : [sentenceOf([...troubles, ...waits])]),
  ];
  return {
    isWell,
    ...(isWell
      ? { word: "all well", tone: "good" }
      : troubles.length > 0
        ? { word: "look", tone: "bad" }
        : { word: "nothing yet", tone: "note" }),
    sentence: sentences.join(" "),
    numbers: [
      { value: newest?.counts.links ?? newest?.counts.users ?? 0, label: "links or rows in the last run" },
      { value: changesOf(newest?.counts), label: "rows it created, updated or removed" },
      {
        value: alerts.length + quarantined,
        label: "open alerts and bad rows",
        tone: alerts.length + quarantined > 0 ? "bad" : undefined,
      },
      {
        value: stale.total,
        label: "links without a commit for three days",
        tone: stale.total > 0 ? "bad" : undefined,
      },
    ],
  };
}

/** Links that the last syncs skipped because it is somebody's turn. */
function skippedFor(latest: Judged["latest"], turn: ReturnType<typeof turnOf>): number {
  const found = latest.flatMap(({ findings }) => findings);
  const its = found.filter(({ status, reason }) => status === "skipped" && turnOf(reason) === turn);
  return its.reduce((sum, { count }) => sum + Number(count), 0);
}

function sentenceOf(parts: readonly string[]): string {
  const words = parts.join("; ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function changesOf(counts: Readonly<Record<string, number>> = {}): number {
  return (counts.created ?? 0) + (counts.updated ?? 0) + (counts.removed ?? 0);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
