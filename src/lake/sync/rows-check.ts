import { andInPart, inHalves, rowParts } from "../materialize/row-parts.js";
import { type Batch, feedBatches, type SourceFile, sourceFiles } from "../materialize/sources.js";
import type { ReadTable } from "../query/query-views.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { transactionChanges } from "../tables/transactions.js";
import { PART_KEY, PART_TEXT } from "./rows-hash.js";

/** Hashes that one statement joins: it holds them all in memory. */
const JOINED_PARTS = 200_000;

/**
 * Computes `rows_sha256` of every update from the rows of the feed, into the temp table `hashed`
 * (docs/use/tables.md, "Certificate"). It reads some files at a time, because the texts of a statement's rows are in memory.
 *
 * @param where a condition on the rows
 */
export async function hashRows(sql: SqlSession, feed: ReadTable | undefined, where = "true"): Promise<void> {
  await sql.run(`create temp table hashed_parts
    (link_id varchar, run_id varchar, sequence bigint, rows bigint, sha256 varchar, key ubigint)`);
  const files =
    feed && (await sourceFiles(feed.location, transactionChanges.name, [...feed.snapshot.files.values()]));
  for (const batch of feedBatches(files ?? [])) await addParts(sql, batch, where);
  // Another tool that compacts the feed may have cut a page into two files.
  await sql.run("create temp table cut as from hashed_parts qualify count(*) over (partition by key) > 1");
  await sql.run("delete from hashed_parts where key in (select key from cut)");
  const [{ rows = 0 } = {}] = await sql.few("select coalesce(sum(rows), 0)::bigint as rows from cut");
  for (const part of Number(rows) === 0 ? [] : rowParts(Number(rows), 25_000)) {
    await addParts(
      sql,
      { feed: files ?? [], ...part },
      `${where} and hash(${PART_KEY}) in (select key from cut)`,
    );
  }
  await sql.run("create temp table hashed (link_id varchar, run_id varchar, rows_sha256 varchar)");
  const [{ parts = 0 } = {}] = await sql.few("select count(*) as parts from hashed_parts");
  for (const part of rowParts(Number(parts), JOINED_PARTS)) {
    await sql.run(`insert into hashed select link_id, run_id, sha256(string_agg(sha256, '' order by sequence))
      from hashed_parts where true${andInPart(part, "link_id")} group by all`);
  }
}

async function addParts(sql: SqlSession, batch: Batch, where: string): Promise<void> {
  const paths = batch.feed.map(({ path }: SourceFile) => path);
  await inHalves(batch, (part) =>
    sql.run(`insert into hashed_parts
      select link_id, run_id, min(sequence), count(*), sha256(${PART_TEXT}), hash(${PART_KEY})
      from ${parquetRows(paths, transactionChanges.columns)} where ${where}${andInPart(part, PART_KEY)}
      group by ${PART_KEY}`),
  );
}
