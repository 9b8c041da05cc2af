import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { currentOf, isHistory } from "../../lake/history/history-spec.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { accountStream } from "../../streams/accounts.js";
import { transactionStream } from "../../streams/transactions.js";
import { missingLinks } from "../lake/missing-links.js";

/** The links of `--links` that a sync did not find; none where it read neither transactions nor accounts, which tell. */
export async function linksNotFound(
  store: ObjectStore,
  { run_id, status, users }: Pick<SyncSummary, "run_id" | "status" | "users">,
  { links, streams }: Pick<SyncOptions, "links" | "streams">,
): Promise<string[]> {
  const isWhole = status === "completed" || status === "completed_with_failures";
  if (links === null || !isWhole || users.failed > 0) return [];
  if (streams.includes(transactionStream.name)) return missingLinks(store, links, linkSyncs, run_id);
  const { name, table } = accountStream;
  return streams.includes(name) && isHistory(table) ? missingLinks(store, links, currentOf(table)) : [];
}
