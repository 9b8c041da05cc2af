import type { TableSpec } from "../delta/delta-schema.js";
import { appendChanges, type Observations } from "../history/append-changes.js";
import { isHistory } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import { appendOnce } from "../tables/append.js";
import { writeQuery } from "../tables/parquet-file.js";
import { closeRowsOfLists } from "./quarantine-resolutions.js";

/** What a run observed of a stream without a cursor. */
interface Observed extends Observations {
  /** Of the commit's transactions: names run and part. */
  readonly appId: string;
  readonly runId: string;
}

/**
 * Commits what a run observed of a stream, once: what has changed where its table is a history, every row where it is
 * not. Bad rows of earlier runs are closed whose list is whole now.
 *
 * @returns whether SQL has read the observations: not where they stand already
 */
export async function commitObserved(
  lake: Lake,
  { name, table }: { readonly name: string; readonly table: TableSpec },
  { appId, runId, query, whole }: Observed,
): Promise<boolean> {
  const isRead = isHistory(table)
    ? await appendChanges(lake, table, appId, runId, { query, whole })
    : await appendRows(lake, table, appId, runId, query);
  await closeRowsOfLists(lake, name, appId, runId, whole);
  return isRead;
}

async function appendRows(
  lake: Lake,
  table: TableSpec,
  appId: string,
  runId: string,
  query: string,
): Promise<boolean> {
  let isRead = false;
  await appendOnce(lake, table, appId, async () => {
    isRead = true;
    return writeQuery(lake, table, runId, query);
  });
  return isRead;
}
