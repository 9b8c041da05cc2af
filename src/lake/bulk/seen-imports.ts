import { DAY } from "../../domain/duration.js";
import { localFiles } from "../delta/data-files.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles, parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { commitNext } from "../tables/append.js";
import { transactionImports } from "../tables/bulk.js";
import { writeQuery } from "../tables/parquet-file.js";
import { transactionChanges } from "../tables/transactions.js";

/** Days after its import for which a row is looked for in what syncs bring. */
const LOOKED_FOR_DAYS = 30;

/** A sync may have brought rows before the import that sent them wrote its ledger. */
const BEFORE_LEDGER_MS = DAY;

const KEY = "link_id, account_id, transaction_id";
const OPEN = "seen_in_run is null and status in ('accepted', 'unknown')";

/** Notes in the ledger of imports which run of a sync first brought each row back; returns for how many rows. */
export async function markSeenImports(lake: Lake, now = Date.now()): Promise<number> {
  for (;;) {
    const ledger = await lake.table(transactionImports.name).snapshot();
    if (ledger.files.size === 0) return 0;
    const feed = await lake.table(transactionChanges.name).snapshot();
    const rewrite = await lake.duckdb.exclusive((sql) => rewriteSeen(lake, sql, ledger.files, feed, now));
    if (rewrite === undefined) return 0;
    if (await commitNext(lake, transactionImports, ledger, rewrite)) return rewrite.rows;
  }
}

/** Rewrites the files of the ledger that hold rows which came back as one; undefined where there are none. */
async function rewriteSeen(
  lake: Lake,
  sql: SqlSession,
  files: Snapshot["files"],
  feed: Snapshot,
  now: number,
) {
  const live = [...files.values()];
  const local = await localFiles({ ...lake, table: transactionImports.name }, live);
  const ledgerRows = parquetFiles(local);
  await sql.run(
    `create temp table open_imports as select ${KEY}, imported_at from ${ledgerRows}
     where ${OPEN} and imported_at > to_timestamp(${(now - LOOKED_FOR_DAYS * DAY) / 1_000})`,
  );
  const [open] = await sql.few(
    "select min(link_id) as low, max(link_id) as high, epoch_ms(min(imported_at))::double as since from open_imports",
  );
  if (open === undefined || open.low === null) return undefined;
  const holds = holdsLinks(String(open.low), String(open.high));
  const since = Number(open.since) - BEFORE_LEDGER_MS;
  const brought = [...feed.files.values()].filter(
    (file) => file.modificationTime > since && holds(factsOf(file)),
  );
  if (brought.length === 0) return undefined;
  const changes = await localFiles({ ...lake, table: transactionChanges.name }, brought);
  await sql.run(
    `create temp table seen as select ${KEY}, arg_min(run_id, sequence) as seen_now
     from ${parquetFiles(changes)} semi join open_imports using (${KEY})
     where change_type in ('created', 'updated') group by ${KEY}`,
  );
  const touched = await sql.rows(
    `select filename, count(*)::integer as seen from ${ledgerRows}
     semi join seen using (${KEY}) where ${OPEN} group by filename`,
  );
  if (touched.length === 0) return undefined;
  const paths = touched.map(({ filename }) => String(filename));
  const columns = transactionImports.columns.map(({ name }) =>
    name === "seen_in_run"
      ? `case when ${OPEN} then seen_now else seen_in_run end as ${name}`
      : sqlName(name),
  );
  const written = await writeQuery(
    lake,
    transactionImports,
    "seen",
    `select ${columns.join(", ")}
     from ${parquetRows(paths, transactionImports.columns)}
     left join seen using (${KEY}) order by run_id, line`,
  );
  const replacedPaths = new Set(paths);
  const replaced = live.filter((_, index) => replacedPaths.has(local[index] ?? ""));
  return { replaced, files: written, rows: touched.reduce((sum, { seen }) => sum + Number(seen), 0) };
}
