import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { transactionStream } from "../../streams/transactions.js";
import { counted } from "../terminal/counted.js";

/** Says that links which the command names were found with no user; a run without transactions counts no links. */
export function missingLinks(
  { status, links }: Pick<SyncSummary, "status" | "links">,
  { links: named, streams }: Pick<SyncOptions, "links" | "streams">,
): string[] {
  const isWhole = status === "completed" || status === "completed_with_failures";
  if (named === null || !isWhole || !streams.includes(transactionStream.name)) return [];
  const found = Object.values(links).reduce((sum, count) => sum + count, 0);
  const missing = new Set(named).size - found;
  if (missing <= 0) return [];
  return [
    `--links names ${counted(missing, "link")} that this run did not find: check the ids, and whether the roster has their users`,
  ];
}
