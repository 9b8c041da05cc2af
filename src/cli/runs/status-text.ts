import { kindWords } from "../../domain/bulk/bulk-job.js";
import { durationWords } from "../../domain/duration.js";
import { whyLines } from "../../domain/run.js";
import { turnsInWords } from "../../domain/sync/skipped-links.js";
import { NO_LAKE } from "../lake/query.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { type LakeStatus, type LatestRun, lakeStatus } from "./lake-status.js";
import { countWords, findingLines, nextWords, openRunWords, tookWords, waitingWords } from "./text.js";
import { withRunsView } from "./view.js";

const MOST_FINDINGS = 3;
const MOST_STALE = 3;
const BELOW = " ".repeat(10);

export interface StatusFlags {
  /** In milliseconds. */
  readonly stale: number;
  readonly json?: boolean;
}

export async function showStatus(terminal: Terminal, { stale, json }: StatusFlags): Promise<number> {
  return withRunsView(terminal, async (view) => {
    const status = await lakeStatus(view, stale);
    if (json) {
      const unfinished = status.unfinished.map(({ running: _, ...run }) => run);
      terminal.result(JSON.stringify({ ...status, unfinished }));
    } else terminal.result(statusLines(terminal, status).join("\n"));
    return EXIT.completed;
  });
}

export function statusLines(terminal: Terminal, status: LakeStatus): string[] {
  const { latest, unfinished, alerts, quarantined, shared_links, stale, schedules, offline } = status;
  const lines = [
    `lake      ${status.lake}${status.lake_exists ? "" : ` ${NO_LAKE}`}`,
    ...unfinished.flatMap((run) => [
      `open      ${run.job_id?.startsWith("onb_") ? run.job_id : run.run_id} ${openRunWords(terminal, run)}`,
      ...waitingWords(run),
    ]),
    ...latest.flatMap(latestLines),
    ...alerts.map(({ rule, message }) => `alert     ${rule}: ${message}`),
    ...(quarantined === 0 ? [] : [`bad rows  ${quarantined} open; see: nightledger quarantine list`]),
    ...(shared_links.length === 0
      ? []
      : [
          `shared    ${shared_links.length} links are under two users: ${shared_links.slice(0, MOST_STALE).join(", ")}; see: nightledger verify`,
        ]),
    ...staleLines(stale),
    ...schedules.map(
      ({ name, paused, next }) => `next      ${name}: ${paused ? "paused" : (next ?? "never")}`,
    ),
    ...(offline === null ? [] : [`note      ${offline}`]),
  ];
  if (latest.length + unfinished.length === 0) lines.push("runs      none yet");
  return lines;
}

function latestLines(run: LatestRun): string[] {
  const { run_id, kind, schedule, status, counts, findings } = run;
  const ago = durationWords(Date.now() - Date.parse(run.finished_at ?? run.started_at));
  const done = countWords(counts, ["created", "updated", "removed", "failed", "quarantined"]);
  const failed = findings.filter(({ status }) => status === "failed");
  return [
    `last      ${kindWords(kind)}${schedule === null ? "" : ` ${schedule}`}: ${status} ${ago} ago in ${tookWords(run)}`,
    BELOW + [run_id, done].filter((words) => words !== "").join(": "),
    ...skippedWords(findings).map((words) => BELOW + words),
    ...whyLines(run),
    ...failed.slice(0, MOST_FINDINGS).flatMap(findingLines),
    ...nextWords(run, findings).map((words) => `${BELOW}→ ${words}`),
  ];
}

/** Counts links that a sync skipped, by whose turn it is. */
function skippedWords(findings: LatestRun["findings"]): string[] {
  const skipped = findings.filter(({ status }) => status === "skipped");
  return turnsInWords({
    by_reason: Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])),
  });
}

function staleLines({ total, links }: LakeStatus["stale"]): string[] {
  if (total === 0) return [];
  const words = links
    .slice(0, MOST_STALE)
    .map(({ link_id, reason, status }) => `${link_id} (${reason ?? status})`);
  return [`stale     ${total} links: ${words.join(", ")}${total > MOST_STALE ? ", …" : ""}`];
}
