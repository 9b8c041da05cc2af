import { NO_REMOVALS } from "../../domain/tables/removals.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { type Appended, appendChanges, withoutRefused } from "../history/append-changes.js";
import type { Observations } from "../history/comparison.js";
import { isHistory } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import { appendOnce } from "../tables/append.js";
import { writeQuery } from "../tables/parquet-file.js";
import { closeRowsOfLists } from "./quarantine.js";

interface Observed extends Observations {
  /** Of the commit's transactions. */
  readonly appId: string;
  readonly runId: string;
}

/**
 * Commits once what has changed in a history, or every row of another table; closes bad rows of earlier runs whose list is
 * whole now. SQL does not read what was committed before.
 */
export async function commitObserved(
  lake: Lake,
  { name, table }: { readonly name: string; readonly table: TableSpec },
  { appId, runId, ...observations }: Observed,
): Promise<Appended> {
  let appended: Appended = { isRead: false, refused: [], taken: NO_REMOVALS };
  if (isHistory(table)) appended = await appendChanges(lake, table, appId, runId, observations);
  else {
    await appendOnce(lake, table, appId, async () => {
      appended = { ...appended, isRead: true };
      return writeQuery(lake, table, runId, observations.query);
    });
  }
  const day = isHistory(table) && typeof table.lists === "object" ? table.lists.since : undefined;
  const whole = withoutRefused(observations.whole, appended.refused);
  await closeRowsOfLists(lake, name, appId, runId, whole, day);
  return appended;
}
