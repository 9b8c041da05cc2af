import { kindWords } from "../../domain/bulk/bulk-job.js";
import { DAY, durationWords } from "../../domain/duration.js";
import { AFTER_LOSS } from "../../domain/onboarding/messages.js";
import { whyCutShort } from "../../domain/run.js";
import { UPKEEP } from "../../domain/schedules/scheduled-run.js";
import { turnsInWords } from "../../domain/sync/link-obstacle.js";
import { counted } from "../../domain/words/counted.js";
import { bytesWords, type Labelled, labelledLines } from "../../domain/words/texts.js";
import { isMadeGood, type LatestRun } from "../../intake/runs/latest-runs.js";
import { undecidedPending } from "../sync/text.js";
import { showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { type LakeStatus, lakeStatus, STATUS_TABLES } from "./lake-status.js";
import { countWords, findingWords, nextWords, openRunWords, tookWords, waitingWords } from "./text.js";
import { withoutProgress } from "./unfinished-runs.js";
import { withRunsView } from "./view.js";

const MOST_FINDINGS = 3;
const MOST_STALE = 3;

interface StatusFlags {
  /** In milliseconds. */
  readonly stale: number;
  readonly json?: boolean;
}

export async function showStatus(terminal: Terminal, { stale, json }: StatusFlags): Promise<void> {
  return withRunsView(terminal, STATUS_TABLES, async (view) => {
    const status = await lakeStatus(view, stale);
    const unfinished = status.unfinished.map((run) => (run.progress === null ? withoutProgress(run) : run));
    showResult(terminal, json, { ...status, unfinished }, () => statusLines(status));
  });
}

export function statusLines(status: LakeStatus): string[] {
  const {
    latest,
    unfinished,
    open_rows,
    hooks,
    quarantined,
    shared_links,
    accounts_twice,
    pending_undecided,
    stale,
    schedules,
    dated_ahead,
    offline,
  } = status;
  const shared = `${counted(shared_links.length, "link is", "links are")} under two users: ${shared_links.slice(0, MOST_STALE).join(", ")}; see: nightledger verify`;
  return [
    ...labelledLines([
      ["lake", status.no_lake ?? status.lake],
      ["upkeep", upkeepWords(status)],
    ]),
    ...unfinished.flatMap((run) => {
      const name = run.job_id?.startsWith("onb_") ? run.job_id : run.run_id;
      return [...labelledLines([["open", `${name} ${openRunWords(run)}`]]), ...waitingWords(run)];
    }),
    ...labelledLines([
      ["waiting", openRowsWords(open_rows)],
      ...latest.flatMap(latestWords),
      ...hooks.map(
        ({ event, about, reason, given_up }): Labelled => [
          "hook",
          `not told that ${about} is ${event}, ${given_up ? "and given up" : "tried again"}: ${reason}`,
        ],
      ),
      ["bad rows", quarantined === 0 ? null : `${quarantined} open; see: nightledger quarantine list`],
      ["shared", shared_links.length === 0 ? null : shared],
      ["twice", twiceWords(accounts_twice)],
      ["pending", undecidedPending(pending_undecided)],
      ["stale", staleWords(stale)],
      ...schedules.map(
        ({ name, paused, next }): Labelled => ["next", `${name}: ${paused ? "paused" : (next ?? "never")}`],
      ),
      ["clock", datedAhead(dated_ahead)],
      ["note", offline],
      ["runs", latest.length + unfinished.length === 0 ? "none yet" : null],
    ]),
  ];
}

function latestWords(run: LatestRun): Labelled[] {
  const { run_id, kind, schedule, status, counts, findings } = run;
  const ago = durationWords(Date.now() - Date.parse(run.finished_at ?? run.started_at));
  const done = countWords(counts, ["created", "updated", "removed", "failed", "quarantined"]);
  const failed = findings.filter(({ status }) => status === "failed");
  const job = `${kindWords(kind)}${schedule === null ? "" : ` ${schedule}`}`;
  const counted = [run_id, done].filter((words) => words !== "").join(": ");
  const isGood = isMadeGood(run);
  const ended = `${job}: ${status} ${ago} ago in ${tookWords(run)}${isGood ? ", made good since" : ""}`;
  const last: Labelled = ["last", [ended, counted, ...skippedWords(findings)]];
  if (isGood) return [last];
  return [
    last,
    whyCutShort(run),
    ...failed.slice(0, MOST_FINDINGS).map(findingWords),
    ...nextWords(run, findings).map((words): Labelled => ["", `→ ${words}`]),
  ];
}

/** Counts links that a sync skipped, by whose turn it is. */
function skippedWords(findings: LatestRun["findings"]): string[] {
  const skipped = findings.filter(({ status }) => status === "skipped");
  return turnsInWords({
    by_reason: Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])),
  });
}

/** Says which runs are dated ahead; null where none is. */
export function datedAhead(runs: readonly string[]): string | null {
  if (runs.length === 0) return null;
  return `${counted(runs.length, "run is", "runs are")} dated ahead, from ${runs[0]} on, and count as the last run of nothing: correct the clock of the machine that ran them, or of this one`;
}

function twiceWords({ accounts, links }: LakeStatus["accounts_twice"]): string | null {
  if (accounts === 0) return null;
  const named = links.slice(0, MOST_STALE).join(", ");
  return `${counted(accounts, "account is", "accounts are")} under two links of one bank, so payments may count twice: ${named}; see: nightledger query "from links_of_one_bank"`;
}

function openRowsWords(open: LakeStatus["open_rows"]): string | string[] | null {
  if (open === null) return null;
  const { rows, oldest, next, lost = [] } = open;
  const since = oldest === null ? "" : `, the oldest for ${durationWords(Date.now() - Date.parse(oldest))}`;
  const wait = next === null ? 0 : Date.parse(next) - Date.now();
  const due = wait > 0 ? `the next is looked at in ${durationWords(wait)}` : "some are worked on now";
  const words = `${counted(rows, "customer")}${since}; ${due}`;
  return lost.length === 0 ? words : [words, `lost or damaged: ${lost.join(", ")}`, `→ ${AFTER_LOSS}`];
}

function staleWords({ total, links }: LakeStatus["stale"]): string | null {
  if (total === 0) return null;
  const words = links
    .slice(0, MOST_STALE)
    .map(({ link_id, reason, status }) => `${link_id} (${reason ?? status})`);
  return `${counted(total, "link")}: ${words.join(", ")}${total > MOST_STALE ? ", …" : ""}`;
}

/** After so long without it, the lake has grown by what a week leaves. */
const UPKEEP_DUE_MS = 8 * DAY;

function upkeepWords({ upkeep, latest, schedules }: LakeStatus): string | null {
  if (upkeep === null) {
    const next = schedules.find(({ name }) => name === UPKEEP)?.next;
    if (next != null) return `not yet; the schedule ${UPKEEP} begins it at ${next}`;
    return latest.length > 0 ? "never; nightledger maintain keeps the lake small" : null;
  }
  const { started_at, live, old_files, logs, staging } = upkeep;
  const age = Date.now() - Date.parse(started_at);
  const parts = { "replaced files": old_files, logs, staging };
  const others = Object.entries(parts).map(([what, { kept }]) => `${bytesWords(kept.bytes)} of ${what}`);
  const sizes = `${bytesWords(live.bytes)} in ${counted(live.files, "file")}, ${others.join(", ")}`;
  return `${durationWords(age)} ago: ${sizes}${age > UPKEEP_DUE_MS ? "; it is due: nightledger maintain" : ""}`;
}
