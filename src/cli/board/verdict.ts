import { kindWords } from "../../domain/bulk/bulk-job.js";
import { DAY, instantText } from "../../domain/duration.js";
import type { Run } from "../../domain/run.js";
import { counted } from "../../domain/words/counted.js";
import { headNumber } from "../../pages/parts.js";
import type { LakeStatus } from "../runs/lake-status.js";
import { saying } from "./shown.js";

interface Judged
  extends Pick<LakeStatus, "no_lake" | "latest" | "unfinished" | "hooks" | "quarantined" | "stale"> {
  /** Ended within a day or so, the newest first. */
  readonly syncs: readonly Run[];
}

/** Reviews and links that wait for somebody, though nothing failed. */
export interface Waits {
  readonly reviews: number;
  readonly customer_links: number;
  /** Only the dashboard explains why. */
  readonly unclear_links: number;
}

/** A lake without a run for so long needs somebody. */
const SILENT_MS = 3 * DAY;

/**
 * The state in a word, a sentence and four numbers, the first two of the night's sync.
 * @param now epoch milliseconds
 */
export function verdictOf(status: Judged, waiting: Waits, now: number) {
  const { no_lake, latest, unfinished, hooks, quarantined, stale } = status;
  const [newest] = latest;
  const stuck = unfinished.filter((run) => run.status === "interrupted" || run.status === "lost").length;
  const troubles = saying(
    [
      no_lake?.replace(/\.$/, ""),
      newest === undefined || now - endOf(newest) < SILENT_MS ? null : "nothing has run since",
      ...latest.filter((run) => run.is_open).map(problemOf),
      some(stuck, "run was left unfinished", "runs were left unfinished"),
      some(hooks.length, "message to a hook is late", "messages to hooks are late"),
      some(quarantined, "bad row waits", "bad rows wait"),
      some(stale.total, "link has had no commit for three days", "links have had no commit for three days"),
    ],
    "; ",
  );
  const waits = [
    some(waiting.reviews, "customer waits for a review", "customers wait for a review"),
    some(waiting.unclear_links, "link needs a check in the dashboard", "links need a check in the dashboard"),
    some(waiting.customer_links, "link waits for its customer", "links wait for their customer"),
  ];
  const isWell = troubles === "" && newest !== undefined;
  const needs = saying([troubles, ...waits], "; ");
  const sentences = [
    newest === undefined ? "Nothing has run yet." : `The last ${kindWords(newest.kind)} ${endedAt(newest)}.`,
    some(unfinished.length - stuck, "run is in progress.", "runs are in progress."),
    isWell && needs === "" ? "Nothing needs you." : null,
    needs === "" ? null : `${needs.charAt(0).toUpperCase()}${needs.slice(1)}.`,
  ];
  const shown = nightsRun(status, now);
  const { links, users, created = 0, updated = 0, removed = 0 } = shown?.counts ?? {};
  return {
    isWell,
    ...(needs === "" ? (isWell ? WELL : NOTHING) : troubles === "" ? OTHERS : LOOK),
    sentence: saying(sentences, " "),
    numbers: [
      headNumber(links ?? users ?? 0, `${links === undefined ? "rows" : "links"} of ${runWords(shown)}`),
      headNumber(created + updated + removed, "rows it created, updated or removed"),
      headNumber(quarantined, "open bad rows", quarantined > 0),
      headNumber(stale.total, "links without a commit for three days", stale.total > 0),
    ],
  };
}

/** The largest sync of the last day, else the newest sync or run: a webhook's sync is no night. */
function nightsRun({ latest, syncs }: Judged, now: number): Run | undefined {
  const users = ({ counts }: Run) => counts.users ?? 0;
  const [largest] = syncs.filter((run) => now - endOf(run) < DAY).sort((a, b) => users(b) - users(a));
  return largest ?? latest.find(({ kind }) => kind === "sync") ?? latest[0];
}

function runWords(run: Run | undefined): string {
  if (run === undefined) return "the last run";
  return `the ${saying([kindWords(run.kind), run.schedule], " ")} that ${endedAt(run)}`;
}

/** Absolute: reports are kept. */
function endedAt(run: Run): string {
  return `ended at ${instantText(endOf(run))}`;
}

export function problemOf({ kind, schedule, status }: Run): string {
  return saying([kindWords(kind), schedule, kindWords(status)], " ");
}

function endOf({ finished_at, started_at }: Run): number {
  return Date.parse(finished_at ?? started_at);
}

const WELL = { word: "all well", tone: "good" } as const;
const OTHERS = { word: "nothing failed", tone: "note" } as const;
const LOOK = { word: "look", tone: "bad" } as const;
const NOTHING = { word: "nothing yet", tone: "note" } as const;

function some(count: number, one: string, many: string): string | null {
  return count === 0 ? null : counted(count, one, many);
}
