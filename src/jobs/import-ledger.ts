import { importKey, type LedgerStatus, type NamedImportRow } from "../domain/bulk/import-row.js";
import type { Lake } from "../lake/lake.js";
import { readTables } from "../lake/query/query-views.js";
import { sqlList } from "../lake/sql/duckdb-sql.js";
import { transactionImports } from "../lake/tables/transaction-imports.js";
import type { JobRow } from "./job.js";

/**
 * The rows that the ledger has, by {@link importKey}: those that an earlier run imported, and those whose answer was
 * lost. A row that a sync has seen since is imported.
 */
export async function inLedger(
  lake: Lake,
  rows: readonly JobRow<NamedImportRow>[],
): Promise<Map<string, LedgerStatus>> {
  const wanted = new Set(rows.map(({ row }) => importKey(row)));
  const links = sqlList([...new Set(rows.map(({ row }) => row.link_id))]);
  const found = new Map<string, LedgerStatus>();
  await readTables(lake, [transactionImports], async (sql) => {
    const ledger = sql.stream(
      `select link_id, account_id, transaction_id, status = 'accepted' or seen_in_run is not null as there
       from transaction_imports where status in ('accepted', 'unknown') and list_contains(${links}, link_id)`,
    );
    for await (const batch of ledger) {
      for (const { there, ...name } of batch) {
        const key = importKey(name as Partial<NamedImportRow>);
        if (!wanted.has(key) || found.get(key) === "accepted") continue;
        found.set(key, there === true ? "accepted" : "unknown");
      }
    }
  });
  return found;
}
