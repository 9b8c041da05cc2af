import { importKey, type LedgerStatus, type NamedImportRow } from "../../domain/bulk/import-row.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { ACCOUNTS, IMPORTS_BROUGHT_BACK } from "../query/imports-seen-view.js";
import { readTables } from "../query/query-views.js";
import { sqlList } from "../sql/duckdb-sql.js";
import { transactionImports } from "../tables/bulk.js";
import { transactionChanges } from "../tables/transactions.js";

type LedgerName = Pick<NamedImportRow, "link_id" | "account_id" | "transaction_id">;

/** Accepted rows of a link that are looked for beside a lost one: any of them shows that rows come back under their ids. */
const MOST_BESIDE = 20;

/** What the lake knows of rows that are about to be imported. */
export interface ImportLedger {
  /**
   * The rows that it has, by {@link importKey}: those that an earlier run imported, and those whose answer was lost. A row
   * that a sync has seen since is imported.
   */
  readonly statuses: ReadonlyMap<string, LedgerStatus>;
  /** Some of the accepted rows of each link. */
  readonly accepted: ReadonlyMap<string, readonly LedgerName[]>;
  /** Whether rows of the link that was imported into first came back under their ids. */
  readonly isSeen: boolean;
}

export async function importLedger(lake: Lake, rows: readonly NamedImportRow[]): Promise<ImportLedger> {
  const wanted = new Set(rows.map(importKey));
  const statuses = new Map<string, LedgerStatus>();
  const accepted = new Map<string, LedgerName[]>();
  const links = sqlList([...new Set(rows.map(({ link_id }) => link_id))]);
  const [oldest] = await readTables(lake, [transactionImports], async (sql) => {
    const ledger = sql.stream(
      `select link_id, account_id, transaction_id, status from transaction_imports
       where status in ('accepted', 'unknown') and list_contains(${links}, link_id)`,
    );
    for await (const batch of ledger) {
      for (const { status, ...row } of batch) {
        const name = row as unknown as LedgerName;
        const own = accepted.get(name.link_id) ?? [];
        if (status === "accepted" && own.length < MOST_BESIDE) accepted.set(name.link_id, [...own, name]);
        const key = importKey(name);
        if (wanted.has(key) && statuses.get(key) !== "accepted") statuses.set(key, status as LedgerStatus);
      }
    }
    return sql.rows(
      "select arg_min(link_id, imported_at) as link_id from transaction_imports where status = 'accepted'",
    );
  });
  const first = oldest?.link_id;
  const isSeen = typeof first === "string" && (await inFeed(lake, [first])).some(({ isById }) => isById);
  const lost = rows.filter((row) => statuses.get(importKey(row)) === "unknown");
  const back = await inFeed(
    lake,
    lost.map(({ link_id }) => link_id),
  );
  for (const { key } of back) if (wanted.has(key)) statuses.set(key, "accepted");
  return { statuses, accepted, isSeen };
}

/** The rows of the ledger that a sync brought back, in these links alone: of the feed only files that may have them are read. */
async function inFeed(lake: Lake, links: readonly string[]): Promise<{ key: string; isById: boolean }[]> {
  const sorted = [...new Set(links)].sort();
  const [first] = sorted;
  if (first === undefined) return [];
  const holds = holdsLinks(first, sorted.at(-1) as string);
  const rows = await readTables(
    lake,
    [transactionImports, transactionChanges, ACCOUNTS],
    (sql) => sql.rows(`from (${IMPORTS_BROUGHT_BACK}) where list_contains(${sqlList(sorted)}, link_id)`),
    (file) => holds(factsOf(file)),
  );
  return rows.map(({ seen_by, ...name }) => ({
    key: importKey(name as LedgerName),
    isById: seen_by === "id",
  }));
}
