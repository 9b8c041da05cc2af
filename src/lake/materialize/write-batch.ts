import { mkdir, rm } from "node:fs/promises";
import type { SqlSession } from "../duckdb-session.js";
import { sqlText } from "../duckdb-sql.js";
import type { Lake } from "../lake.js";
import { scratchPath } from "../parquet-file.js";
import { batchQuery, narrowQuery } from "./batch-query.js";
import { type Batch, smallerBatches } from "./batches.js";
import { cutByMonth, MONTH_NAME, withFile } from "./month-cut.js";
import { isOutOfMemory } from "./sql-failure.js";
import { type FileStorage, writtenFiles } from "./written-files.js";

/**
 * Row groups sized to the files: DuckDB makes buffers for the rows that a group may have, and there is one
 * for each file being written. 20,480 takes twice as long here.
 */
const PARQUET = "format parquet, compression zstd, compression_level 1, row_group_size 8192";

/** Writes a batch as files cut by month; in smaller ones where memory does not suffice. */
export async function writeBatch(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  batch: Batch,
  fresh: string | undefined,
): Promise<void> {
  const directory = scratchPath(lake, "cut");
  try {
    await mkdir(directory, { recursive: true });
    await cutByMonth(sql, narrowQuery(batch, fresh));
    await sql.run(`copy (${withFile(batchQuery(batch, fresh))}) to ${sqlText(directory)}
      (${PARQUET}, partition_by (cut_file), write_partition_columns false, overwrite_or_ignore true)`);
    await storage.store(await writtenFiles(sql, directory), directory);
  } catch (error) {
    await rm(directory, { force: true, recursive: true });
    const smaller = isOutOfMemory(error) ? smallerBatches(batch) : undefined;
    if (smaller === undefined) throw error;
    for (const part of smaller) await writeBatch(lake, sql, storage, part, fresh);
  }
}

/** Writes fresh rows that fit into one batch to a scratch file; their number by month. */
export async function writeFresh(
  sql: SqlSession,
  batches: readonly Batch[],
  path: string,
): Promise<Map<string, number>> {
  const query = batches.map((batch) => batchQuery(batch, undefined)).join(" union all ");
  await sql.run(`copy (${query}) to ${sqlText(path)} (${PARQUET})`);
  const months = await sql.rows(`select ${MONTH_NAME} as month, count(*) as n
    from read_parquet(${sqlText(path)}) group by all`);
  return new Map(months.map(({ month, n }) => [String(month), Number(n)]));
}
