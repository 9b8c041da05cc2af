import type { TableSpec } from "../delta/delta-schema.js";
import { appendChanges } from "../history/append-changes.js";
import type { Observations } from "../history/comparison.js";
import { isHistory } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import { appendOnce } from "../tables/append.js";
import { writeQuery } from "../tables/parquet-file.js";
import { closeRowsOfLists } from "./quarantine-resolutions.js";

interface Observed extends Observations {
  /** Names the run and the part in the commit's transactions. */
  readonly appId: string;
  readonly runId: string;
}

/**
 * Commits what a run observed of a stream, once: what has changed if its table is a history, and every row if it is not.
 * Bad rows of earlier runs are closed if their list is whole now.
 *
 * @returns whether SQL has read the observations; it does not if they were committed before
 */
export async function commitObserved(
  lake: Lake,
  { name, table }: { readonly name: string; readonly table: TableSpec },
  { appId, runId, ...observations }: Observed,
): Promise<boolean> {
  let isRead = false;
  if (isHistory(table)) isRead = await appendChanges(lake, table, appId, runId, observations);
  else {
    await appendOnce(lake, table, appId, async () => {
      isRead = true;
      const file = await writeQuery(lake, table, runId, observations.query);
      return file === undefined ? [] : [file];
    });
  }
  const day = isHistory(table) && typeof table.lists === "object" ? table.lists.since : undefined;
  await closeRowsOfLists(lake, name, appId, runId, observations.whole, day);
  return isRead;
}
