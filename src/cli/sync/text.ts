import { anotherSubjects } from "../../domain/failures.js";
import { turnsInWords } from "../../domain/sync/link-obstacle.js";
import { MOST_PART } from "../../domain/sync/run/links.js";
import { expectedLinks, type ListedRows, type SyncSummary } from "../../domain/sync/sync-summary.js";
import { isStep } from "../../domain/sync/sync-totals.js";
import { counted } from "../../domain/words/counted.js";
import type { Labelled } from "../../domain/words/texts.js";
import type { SyncProgress } from "../../workflows/sync/sync.js";
import type { ProgressForm } from "../shell/progress-view.js";
import { failureWords } from "../shell/summary.js";

export function syncSummary(summary: SyncSummary): Labelled[] {
  const { users, links, rows, lists, pages, status, quarantine, calls, restarts, new_fields } = summary;
  // A run that its command leaves has not counted all of its calls.
  const isLeft = status === "paused" || status === "running";
  const long = links.still_reading > 0 ? `, ${links.still_reading} still reading` : "";
  const superseded = links.superseded > 0 ? `, ${links.superseded} superseded` : "";
  const requested = `${calls}${pages > 0 ? ` for ${counted(pages, "page")}` : ""}${restarts > 0 ? `, ${counted(restarts, "restart")}` : ""}`;
  const fields = new_fields?.length ? [...new_fields, "kept in the column other_fields"] : [];
  return [
    [
      "users",
      `${users.total}${users.failed > 0 ? `, ${users.failed} failed` : ""}${users.forgotten ? `, ${users.forgotten} forgotten and not read` : ""}`,
    ],
    [
      "links",
      `${links.synced} synced, ${links.unchanged} unchanged${long}, ${links.skipped} skipped, ${links.not_ready} not ready, ${links.failed} failed${superseded}`,
    ],
    [
      "still read",
      links.still_reading > 0 ? "longer than one run may; what came is kept, and the next run goes on" : null,
    ],
    ["skipped", wrapped(turnsInWords(summary.skipped))],
    [
      "in error",
      summary.in_error ? wrapped([...turnsInWords(summary.in_error), "their past is read"]) : null,
    ],
    [
      "rows",
      `${rows.created} created, ${rows.updated} updated, ${rows.removed} removed, ${rows.quarantined} quarantined`,
    ],
    ["ids", summary.id_conflicts ? idWords(summary.id_conflicts) : null],
    ["lists", lists.map(listWords)],
    ["bad rows", badRows(quarantine)],
    ["pending", undecidedPending(summary.pending_undecided)],
    ["new", wrapped(fields)],
    ["calls", isLeft ? null : requested],
  ];
}

/** What went wrong in a sync. */
export function syncProblems(summary: SyncSummary): Labelled[] {
  return [
    anotherSubjects(summary.failures),
    ...failureWords(
      summary,
      ({ owner }) => !isStep(owner),
      // The reason of a user begins with the stream.
      ({ stream, owner, reason }) =>
        `${reason.startsWith(`${stream}: `) ? "" : `${stream} `}${owner}: ${reason}`,
      "; see table link_syncs",
    ),
  ];
}

function idWords(conflicts: number): string {
  return `${counted(conflicts, "row")} came as new under the id of another row and replaced it; see link_syncs.id_conflicts`;
}

function listWords({ stream, changed, removed }: ListedRows): string {
  return `${stream}: ${changed} new or changed${removed > 0 ? `, ${removed} removed` : ""}`;
}

function badRows({ new: fresh, open }: SyncSummary["quarantine"]): string | null {
  if (fresh === 0 && (open === null || open === 0)) return null;
  const how = open === null || open === 0 ? "" : "; see: nightledger quarantine list";
  return `${fresh} new${open === null ? "" : `, ${open} open`}${how}`;
}

/** Says of pending rows that may be gone what to do; null where there are none. */
export function undecidedPending(rows: number | undefined): string[] | null {
  if (!rows) return null;
  return [
    `${counted(rows, "older row")}: nothing says whether they are still there, so they are kept;`,
    "set service.pending in nightledger.yaml to listed or replaced",
  ];
}

/** Columns that are left behind a label. */
const WIDTH = 70;

/** Joins parts by commas, in lines that fit beside their label. */
function wrapped(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [at, part] of parts.entries()) {
    const text = at < parts.length - 1 ? `${part}, ` : part;
    const last = lines.at(-1);
    if (last !== undefined && (last + text.trimEnd()).length <= WIDTH) lines[lines.length - 1] = last + text;
    else lines.push(text);
  }
  return lines.map((line) => line.trimEnd());
}

/** How a sync shows its progress: finished links of all that it found. */
export const SYNC_PROGRESS: ProgressForm<SyncProgress> = {
  bar: "{phase} {bar} {done}/{all} links · {read}",
  figures(progress) {
    const { usersDone, usersTotal, linksDone, linksFound, rowsRead: rows, pagesRead: pages } = progress;
    const isRead = usersDone === usersTotal && linksDone === linksFound;
    // The workflow reads and commits side by side; once everything is read, only commits are left.
    const phase = isRead && progress.phase === "reading" ? "committing" : progress.phase;
    return { users: `${usersDone}/${usersTotal}`, done: linksDone, total: linksFound, rows, pages, phase };
  },
  // Links that began together end together: until then only pages and rows tell that something happens.
  read: ({ done, pages, rows }) => `${done === 0 ? `${pages} pages · ` : ""}${rows} rows`,
  line: ({ phase, users, done, total, rows, pages }) =>
    `${phase}: ${done}/${total} links done, ${done === 0 ? `${pages} pages, ` : ""}${rows} rows, ${users} users`,
  paced(progress) {
    const { linksRead, linksDone, rowsRead, usersDone, usersTotal } = progress;
    const expected = expectedLinks(progress);
    // Links that have had more pages than most: nothing tells how many more come.
    const areLong = usersDone === usersTotal && linksRead >= linksDone + MOST_PART * (expected - linksDone);
    return { amount: rowsRead, unit: "rows", expected: areLong ? linksRead : expected, done: linksRead };
  },
  waiting: (progress) => progress,
};
