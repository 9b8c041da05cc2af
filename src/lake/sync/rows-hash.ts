import { hash } from "node:crypto";
import { localFiles } from "../delta/data-files.js";
import type { Column } from "../delta/delta-schema.js";
import { factsOf } from "../delta/delta-stats.js";
import { andInPart, inHalves, type RowPart, rowParts } from "../materialize/row-parts.js";
import type { ReadTable } from "../query/query-views.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { transactionChanges } from "../tables/transactions.js";

/** Those of a page, or a block of inferred removals. */
interface RowsPart {
  readonly sequence_from: number;
  readonly sha256: string;
}

/** All rows of a page have them in common. */
const SHARED = ["link_id", "fp_id", "run_id", "generation", "inferred", "page", "fetched_at"];
/** After it, a row's text has only values that are not null: older rows lack later columns. */
const LAST_OF_FIRST = "page";
/** Inferred removals have no page. */
const BLOCK = "case when page is null then sequence // 10000 end";

export const PART_KEY = [...SHARED, BLOCK].join(", ");

/**
 * The text of a part, over rows grouped by {@link PART_KEY} (docs/use/tables.md, "Certificate"). JSON marks where a value
 * ends, and tells null from empty.
 */
export const PART_TEXT = partText(transactionChanges.columns);

function partText(columns: readonly Column[]): string {
  const first = columns.slice(0, columns.findIndex(({ name }) => name === LAST_OF_FIRST) + 1);
  const isShared = ({ name }: Column) => SHARED.includes(name);
  const later = columns.slice(first.length).map(({ name }) => `'${name}=' || to_json(${sqlName(name)})`);
  const own = first.filter((column) => !isShared(column));
  const row = `concat(${[listOf(own), ...later].join(", ")})`;
  return `concat(${listOf(first.filter(isShared))}, string_agg(${row}, '' order by sequence))`;
}

function listOf(columns: readonly Column[]): string {
  return `to_json([${columns.map(valueText).join(", ")}])`;
}

function valueText({ name, type }: Column): string {
  const column = sqlName(name);
  if (type === "VARCHAR") return column;
  if (type === "TIMESTAMPTZ") return `epoch_us(${column})::varchar`;
  // The same text: nearly all amounts fit into 64 bits, at a third of the cost.
  if (type === "DECIMAL(28,10)")
    return `coalesce(try_cast(${column} as decimal(18,10))::varchar, ${column}::varchar)`;
  return `${column}::varchar`;
}

/** Hashes an update's parts, in any order; null without rows. */
export function rowsSha256(parts: readonly RowsPart[]): string | null {
  if (parts.length === 0) return null;
  const inOrder = [...parts].sort((a, b) => a.sequence_from - b.sequence_from);
  return hash("sha256", inOrder.map(({ sha256 }) => sha256).join(""));
}

/** Their texts are in memory until the statement ends. */
const BATCH_ROWS = 25_000;

/** In memory together. */
const JOINED_PARTS = 200_000;

/**
 * Hashes the rows of every update, some files at a time, into the temp table `hashed`.
 * @param where a condition on the rows
 */
export async function hashRows(sql: SqlSession, feed: ReadTable | undefined, where = "true"): Promise<void> {
  await sql.run(`create temp table hashed_parts
    (link_id varchar, run_id varchar, sequence bigint, rows bigint, sha256 varchar, key ubigint)`);
  const adds = [...(feed?.snapshot.files.values() ?? [])];
  const paths = feed === undefined ? [] : await localFiles(feed.location, adds);
  for (const batch of batchesOf(adds.map((add, at) => ({ path: paths[at] ?? "", rows: factsOf(add).rows }))))
    await addParts(sql, batch, where);
  // Another tool that compacts the feed may have cut a page into two files.
  await sql.run("create temp table cut as from hashed_parts qualify count(*) over (partition by key) > 1");
  await sql.run("delete from hashed_parts where key in (select key from cut)");
  const [{ rows = 0 } = {}] = await sql.rowsAtOnce("select coalesce(sum(rows), 0)::bigint as rows from cut");
  for (const part of Number(rows) === 0 ? [] : rowParts(Number(rows), BATCH_ROWS)) {
    await addParts(sql, { paths, ...part }, `${where} and hash(${PART_KEY}) in (select key from cut)`);
  }
  await sql.run("create temp table hashed (link_id varchar, run_id varchar, rows_sha256 varchar)");
  const [{ parts = 0 } = {}] = await sql.rowsAtOnce("select count(*) as parts from hashed_parts");
  for (const part of rowParts(Number(parts), JOINED_PARTS)) {
    await sql.run(`insert into hashed select link_id, run_id, sha256(string_agg(sha256, '' order by sequence))
      from hashed_parts where true${andInPart(part, "link_id")} group by all`);
  }
}

interface Batch extends RowPart {
  readonly paths: readonly string[];
}

/** Small files together, large ones in parts; a file of unknown size is a batch. */
function batchesOf(files: readonly { readonly path: string; readonly rows: number | undefined }[]): Batch[] {
  const packs: { paths: string[]; rows: number }[] = [];
  for (const { path, rows = BATCH_ROWS } of files) {
    const open = packs.at(-1);
    if (open !== undefined && open.rows + rows <= BATCH_ROWS) {
      open.paths.push(path);
      open.rows += rows;
    } else packs.push({ paths: [path], rows });
  }
  return packs.flatMap(({ paths, rows }) => rowParts(rows, BATCH_ROWS).map((part) => ({ paths, ...part })));
}

async function addParts(sql: SqlSession, batch: Batch, where: string): Promise<void> {
  await inHalves(batch, (part) =>
    sql.run(`insert into hashed_parts
      select link_id, run_id, min(sequence), count(*), sha256(${PART_TEXT}), hash(${PART_KEY})
      from ${parquetRows(batch.paths, transactionChanges.columns)} where ${where}${andInPart(part, PART_KEY)}
      group by ${PART_KEY}`),
  );
}
