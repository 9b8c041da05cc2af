import type { SyncSummary } from "../../domain/sync/sync-summary.js";

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
