import { SYNC } from "../../sync/kind.js";

/** What to do about a link that ended so in a run; null for nothing. */
export function syncAction(status: string, reason: string | null): string | null {
  if (status === "synced" || status === "unchanged" || status === "superseded") return null;
  return SYNC.action?.({ status, reason: reason ?? "" }) ?? null;
}
