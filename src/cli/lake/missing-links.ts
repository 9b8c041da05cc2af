import { counted } from "../../domain/words/counted.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { readTables } from "../../lake/query/query-views.js";
import { sqlList, sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { withLakeReader } from "./reader.js";

const MOST_NAMED = 10;

/**
 * Links of `--links` without a row in a table; none where a row without a link says that links could not be listed.
 * @param runId whose rows count; default: all
 */
export async function missingLinks(
  store: ObjectStore,
  named: readonly string[],
  table: TableSpec,
  runId?: string,
): Promise<string[]> {
  const ofRun = runId === undefined ? "true" : `run_id = ${sqlText(runId)}`;
  const sql = `select distinct link_id from ${table.name}
    where ${ofRun} and (link_id is null or list_contains(${sqlList(named)}, link_id))`;
  const rows = await withLakeReader(store, (lake) =>
    readTables(lake, [table], (session) => session.rows(sql)),
  );
  const known = new Set(rows.map(({ link_id }) => link_id));
  const missing = [...new Set(named)].filter((id) => !known.has(id));
  return known.has(null) ? [] : missing;
}

export function missingWords(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [
    `--links names ${counted(missing.length, "link")} that this run did not find: ${shortList(missing)}; ` +
      "check the ids, and whether the roster has their users",
  ];
}

export function shortList(ids: readonly string[]): string {
  return ids.slice(0, MOST_NAMED).join(", ") + (ids.length > MOST_NAMED ? ", …" : "");
}
