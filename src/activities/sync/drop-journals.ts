import { journalPrefix } from "../../lake/sync/journal/journal.js";
import type { Dependencies } from "../dependencies.js";

interface DropJournalsInput {
  readonly runId: string;
  readonly folders: readonly string[];
}

/** Deletes journals once the history says that all of their content is committed (docs/inside/architecture.md, "Staging"). */
export async function dropJournals({ lake }: Dependencies, input: DropJournalsInput): Promise<void> {
  for (const folder of input.folders) await lake.store.deletePrefix(journalPrefix(input.runId, folder));
}
