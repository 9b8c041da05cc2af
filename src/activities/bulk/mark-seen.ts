import { markSeenImports } from "../../lake/bulk/seen-imports.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";

interface MarkSeenInput {
  /** Id of a sync that has just ended. */
  readonly runId: string;
}

/** Notes in the ledger of imports which of its rows syncs have brought back (docs/use/imports.md, "The ledger"). */
export async function markSeen(deps: Dependencies, { runId }: MarkSeenInput): Promise<void> {
  const rows = await withHeartbeat(() => markSeenImports(deps.lake));
  if (rows > 0) deps.log.info({ run: runId, rows }, "imported rows came back");
}
