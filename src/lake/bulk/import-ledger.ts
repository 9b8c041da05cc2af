import { importKey, type LedgerStatus, type NamedImportRow } from "../../domain/bulk/import-row.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { ACCOUNTS, IMPORTS_BROUGHT_BACK } from "../query/imports-seen-view.js";
import { readTables } from "../query/query-views.js";
import { sqlList } from "../sql/duckdb-sql.js";
import { transactionImports } from "../tables/bulk.js";
import { transactionChanges } from "../tables/transactions.js";

interface ImportLedger {
  /**
   * By {@link importKey}: rows that earlier runs imported, or whose answer was lost; one that a sync has seen since is
   * imported.
   */
  readonly statuses: ReadonlyMap<string, LedgerStatus>;
  /** Rows of the first link that was imported into came back under their ids. */
  readonly isSeen: boolean;
}

/** What the lake knows of rows to import. */
export async function importLedger(lake: Lake, rows: readonly NamedImportRow[]): Promise<ImportLedger> {
  const wanted = new Set(rows.map(importKey));
  const statuses = new Map<string, LedgerStatus>();
  const links = sqlList([...new Set(rows.map(({ link_id }) => link_id))]);
  const [first] = await readTables(lake, [transactionImports], async (sql) => {
    const ledger = sql.stream(
      `select link_id, account_id, transaction_id, status from transaction_imports
       where status in ('accepted', 'unknown') and list_contains(${links}, link_id)`,
    );
    for await (const batch of ledger) {
      for (const { status, ...name } of batch) {
        const key = importKey(name as Partial<NamedImportRow>);
        if (wanted.has(key) && statuses.get(key) !== "accepted") statuses.set(key, status as LedgerStatus);
      }
    }
    return sql.rows(
      "select arg_min(link_id, imported_at)::varchar as link from transaction_imports where status = 'accepted'",
    );
  });
  const lost = rows.filter((row) => statuses.get(importKey(row)) === "unknown");
  const looked = [
    ...lost.map(({ link_id }) => link_id),
    ...(first?.link == null ? [] : [String(first.link)]),
  ];
  const back = await broughtBack(lake, [...new Set(looked)].sort());
  for (const row of back) {
    const key = importKey(row as Partial<NamedImportRow>);
    if (wanted.has(key)) statuses.set(key, "accepted");
  }
  return { statuses, isSeen: back.some(({ by_id }) => by_id === true) };
}

/** Rows that a sync has seen in some links, from files of the feed that may have them. */
async function broughtBack(lake: Lake, links: readonly string[]) {
  const [first] = links;
  if (first === undefined) return [];
  const holds = holdsLinks(first, links.at(-1) as string);
  return readTables(
    lake,
    [transactionImports, transactionChanges, ACCOUNTS],
    (sql) => sql.rows(`from (${IMPORTS_BROUGHT_BACK}) where list_contains(${sqlList(links)}, link_id)`),
    (file) => holds(factsOf(file)),
  );
}
