import type { NewRun } from "../../domain/run.js";
import { markSeenImports } from "../../lake/bulk/seen-imports.js";
import type { Dependencies } from "../dependencies.js";

/** Notes in the ledger of imports, at the end of a sync, which of its rows syncs have brought back (docs/use/imports.md, "The ledger"). */
export async function markSeen(deps: Dependencies, { runId }: Pick<NewRun, "runId">): Promise<void> {
  const rows = await markSeenImports(deps.lake);
  if (rows > 0) deps.log.info({ run: runId, rows }, "imported rows came back");
}
