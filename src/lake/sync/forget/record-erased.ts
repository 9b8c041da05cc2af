import type { TableSpec } from "../../delta/delta-schema.js";
import type { Lake } from "../../lake.js";
import { readTables } from "../../query/query-views.js";
import { appendDecided } from "../../tables/append.js";
import { erasures } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";
import { erasedOf, type TableRows } from "./erase-rows.js";

/**
 * Writes into `erasures` what the logs of tables say was erased, and it does not say yet: what this call erased, and what
 * calls before it did that were cut short.
 *
 * @param isRecorded SQL of the rows of `erasures` that say so
 * @param row what each row says besides its table
 */
export async function recordErased(
  lake: Lake,
  tables: readonly TableSpec[],
  { owner, isRecorded }: { readonly owner: string; readonly isRecorded: string },
  row: Readonly<Record<string, string>>,
): Promise<TableRows[]> {
  return appendDecided(lake, erasures, async () => {
    const known = await readTables(lake, [erasures], (sql) =>
      sql.rows(
        `select table_name, sum(rows)::bigint as rows from erasures where ${isRecorded} group by table_name`,
      ),
    );
    const recorded = new Map(known.map(({ table_name, rows }) => [table_name, Number(rows)]));
    const fresh: TableRows[] = [];
    for (const { name: table } of tables) {
      const { txns } = await lake.table(table).snapshot();
      const rows = (txns.get(erasedOf(owner))?.version ?? 0) - (recorded.get(table) ?? 0);
      if (rows > 0) fresh.push({ table, rows });
    }
    const recorded_at = new Date().toISOString();
    const rows = fresh.map(({ table, rows }) => ({ ...row, table_name: table, rows, recorded_at }));
    return { files: await writeRows(lake, erasures, "erased", rows), result: fresh };
  });
}
