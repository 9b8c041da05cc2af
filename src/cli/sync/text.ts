import { anotherSubjectLines } from "../../domain/failures.js";
import { whyLines } from "../../domain/run.js";
import { turnsInWords } from "../../domain/sync/skipped-links.js";
import { expectedLinks, type ListedRows, type SyncSummary } from "../../domain/sync/sync-summary.js";
import { isStep } from "../../domain/sync/sync-totals.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { ProgressForm } from "../session/progress-view.js";

const MOST_SHOWN = 10;

export function summaryText(summary: SyncSummary): string {
  const { users, links, rows, lists, pages, status, quarantine } = summary;
  // A run that its command leaves has not counted all of its calls.
  const isLeft = status === "paused" || status === "running";
  const restarts = summary.restarts > 0 ? `, ${summary.restarts} restarts` : "";
  const lines = [
    `run       ${summary.run_id}`,
    `status    ${status} ${isLeft ? "after" : "in"} ${(summary.duration_ms / 1000).toFixed(1)} s`,
    ...whyLines(summary),
    `users     ${users.total}${users.failed > 0 ? `, ${users.failed} failed` : ""}`,
    `links     ${links.synced} synced, ${links.unchanged} unchanged, ${links.skipped} skipped, ${links.not_ready} not ready, ${links.failed} failed${links.superseded > 0 ? `, ${links.superseded} superseded` : ""}`,
    ...inColumn("skipped", turnsInWords(summary.skipped)),
    `rows      ${rows.created} created, ${rows.updated} updated, ${rows.removed} removed, ${rows.quarantined} quarantined`,
    ...lists.map((list, at) => `${(at === 0 ? "lists" : "").padEnd(INDENT)}${listWords(list)}`),
    ...badRows(quarantine),
    ...(summary.unknown_accounts > 0
      ? [`accounts  ${summary.unknown_accounts} are in rows and not in the list of their link`]
      : []),
    ...newFields(summary.new_fields),
    ...(isLeft ? [] : [`calls     ${summary.calls}${pages > 0 ? ` for ${pages} pages` : ""}${restarts}`]),
    ...(summary.lake_root === null ? [] : [`root      ${summary.lake_root}`]),
  ];
  lines.push(...anotherSubjectLines(summary.failures));
  const own = summary.failures.filter(({ owner }) => !isStep(owner));
  const shown = own.slice(0, MOST_SHOWN);
  for (const { stream, owner, reason } of shown) lines.push(`failed    ${stream} ${owner}: ${reason}`);
  const more = summary.failures_total - (summary.failures.length - own.length) - shown.length;
  if (more > 0) lines.push(`          and ${more} more; see table link_syncs`);
  return lines.join("\n");
}

function listWords({ stream, changed, removed }: ListedRows): string {
  return `${stream}: ${changed} new or changed${removed > 0 ? `, ${removed} removed` : ""}`;
}

function badRows({ new: fresh, open }: SyncSummary["quarantine"]): string[] {
  if (fresh === 0 && (open === null || open === 0)) return [];
  const how = open === null || open === 0 ? "" : "; see: nightledger quarantine list";
  return [`bad rows  ${fresh} new${open === null ? "" : `, ${open} open`}${how}`];
}

function newFields(names: readonly string[] = []): string[] {
  return names.length === 0 ? [] : inColumn("new", [...names, "kept in the column other_fields"]);
}

const INDENT = 10;
const WIDTH = 80;

/** Wraps the parts of a line in a column behind its name. */
function inColumn(name: string, parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [at, part] of parts.entries()) {
    const text = at < parts.length - 1 ? `${part}, ` : part;
    const last = lines.at(-1);
    if (last !== undefined && (last + text.trimEnd()).length <= WIDTH) lines[lines.length - 1] = last + text;
    else lines.push((lines.length === 0 ? name : "").padEnd(INDENT) + text);
  }
  return lines.map((line) => line.trimEnd());
}

/** How a sync shows its progress: finished links of all that it found. */
export const SYNC_PROGRESS: ProgressForm<SyncProgress> = {
  bar: "{phase} {bar} {value}/{total} links done · {rows} rows",
  figures(progress) {
    const { usersDone, usersTotal, phase, linksDone, linksFound, rowsRead: rows } = progress;
    return { users: `${usersDone}/${usersTotal}`, done: linksDone, total: linksFound, rows, phase };
  },
  line: ({ phase, users, done, total, rows }) =>
    `${phase}: ${done}/${total} links done, ${rows} rows, ${users} users`,
  paced(progress) {
    return { amount: progress.rowsRead, unit: "rows", expected: expectedLinks(progress) };
  },
  waiting: (progress) => progress,
};
