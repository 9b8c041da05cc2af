import { syncCounts } from "../../domain/sync/sync-counts.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { ProgressForm } from "../session/progress-view.js";

const MOST_SHOWN = 10;

/** A run's summary for people. */
export function summaryText(summary: SyncSummary): string {
  const { users, links, rows } = summary;
  const lines = [
    `run       ${summary.run_id}`,
    `status    ${summary.status} in ${(summary.duration_ms / 1000).toFixed(1)} s`,
    `users     ${users.total}${users.failed > 0 ? `, ${users.failed} failed` : ""}`,
    `links     ${links.synced} synced, ${links.unchanged} unchanged, ${links.skipped} skipped, ${links.not_ready} not ready, ${links.failed} failed`,
    `rows      ${rows.created} created, ${rows.updated} updated, ${rows.removed} removed, ${rows.quarantined} quarantined`,
    `calls     ${summary.calls} for ${summary.pages} pages${summary.restarts > 0 ? `, ${summary.restarts} restarts` : ""}`,
  ];
  const shown = summary.failures.slice(0, MOST_SHOWN);
  for (const { stream, owner, reason } of shown) lines.push(`failed    ${stream} ${owner}: ${reason}`);
  const more = summary.failures_total - shown.length;
  if (more > 0) lines.push(`          and ${more} more; see table link_syncs`);
  return lines.join("\n");
}

/** How a sync shows how far it is: finished links of all that were found. */
export const SYNC_PROGRESS: ProgressForm<SyncProgress> = {
  bar: "{phase} {bar} {value}/{total} links · {rows} rows",
  figures(progress) {
    const { usersDone, usersTotal, phase } = progress;
    const { linksDone, linksFound, rows } = syncCounts(progress);
    return { users: `${usersDone}/${usersTotal}`, done: linksDone, total: linksFound, rows, phase };
  },
  line: ({ phase, users, done, total, rows }) =>
    `${phase}: ${done}/${total} links, ${rows} rows, ${users} users`,
  paced(progress) {
    const { rows, linksExpected } = syncCounts(progress);
    return { amount: rows, unit: "rows", expected: linksExpected };
  },
  waiting: (progress) => progress,
};
