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
  for (const { stream, owner, reason, message } of shown) {
    lines.push(`failed    ${stream} ${owner}: ${reason}${message === undefined ? "" : `: ${message}`}`);
  }
  const more = summary.failures_total - shown.length;
  if (more > 0) lines.push(`          and ${more} more; see table link_syncs`);
  return lines.join("\n");
}

/** How a sync shows how far it is. */
export const SYNC_PROGRESS: ProgressForm<SyncProgress> = {
  bar: "{phase} {bar} {users} users · {links} links · {rows} rows",
  figures({ totals, groups, usersDone, usersTotal, phase }) {
    const { created, updated, removed } = totals.rows;
    const rows = groups.reduce((sum, { rowsRead }) => sum + rowsRead, created + updated + removed);
    const ended = Object.values(totals.links).reduce((sum, count) => sum + count, 0);
    const links = groups.reduce((sum, { linksDone }) => sum + linksDone, ended);
    return { users: `${usersDone}/${usersTotal}`, done: usersDone, total: usersTotal, rows, links, phase };
  },
  line: ({ phase, users, links, rows }) => `${phase}: ${users} users, ${links} links, ${rows} rows`,
};
