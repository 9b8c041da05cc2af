import { journalPrefix } from "../../lake/sync/journal/journal.js";
import type { Dependencies } from "../dependencies.js";

/** Deletes journals once the history says that all of their content is committed (docs/inside/rules.md, "Staging"). */
export async function dropJournals(
  { lake }: Dependencies,
  { runId, folders }: { readonly runId: string; readonly folders: readonly string[] },
): Promise<void> {
  await lake.store.deletePrefix(journalPrefix(runId), { folders });
}
