import { join } from "node:path";
import { parquetRows } from "../../../../src/lake/sql/duckdb-files.js";
import { transactionLinks } from "../../../../src/lake/tables/transactions.js";
import type { FeedLake } from "../feed-lake.js";

/** The rows of `transaction_links` in the order of links and removals, each as JSON. */
export async function linkRows({ directory, lake }: Pick<FeedLake, "directory" | "lake">): Promise<string[]> {
  const { files } = await lake.table(transactionLinks.name).snapshot();
  const paths = [...files.keys()].map((path) => join(directory, transactionLinks.name, path));
  const rows = await lake.duckdb.exclusive((sql) =>
    sql.rows(`select ${transactionLinks.columns.map(({ name }) => `"${name}"::varchar as "${name}"`).join(", ")}
      from ${parquetRows(paths, transactionLinks.columns)} t order by t.link_id, t.removed_sequence`),
  );
  return rows.map((row) => JSON.stringify(row));
}

/** The same rows in short: `link/pending → posted tier posted_candidates:pending_candidates`. */
export async function linksInShort(at: FeedLake): Promise<string[]> {
  return (await linkRows(at)).map((text) => {
    const row = JSON.parse(text) as Record<string, string | null>;
    const pair = `${row.link_id}/${row.pending_transaction_id} → ${row.posted_transaction_id ?? "?"}`;
    return `${pair} ${row.tier} ${row.posted_candidates}:${row.pending_candidates}`;
  });
}
