import { mkdir, rm } from "node:fs/promises";
import type { SqlSession } from "../duckdb-session.js";
import { sqlText } from "../duckdb-sql.js";
import type { Lake } from "../lake.js";
import { scratchPath } from "../parquet-file.js";
import { batchQuery, narrowQuery } from "./batch-query.js";
import { type Batch, smallerBatches } from "./batches.js";
import { cutByMonth, withFile } from "./month-cut.js";
import { isOutOfMemory } from "./sql-failure.js";
import { type FileStorage, writtenFiles } from "./written-files.js";

/**
 * Row groups sized to the files: DuckDB makes buffers for the rows that a group may have, and there is one
 * for each file being written. 20,480 takes twice as long here.
 */
export const CUT_FILE = "format parquet, compression zstd, compression_level 1, row_group_size 8192";

/** Writes a batch as files cut by month; in smaller ones where memory does not suffice. */
export async function writeBatch(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  batch: Batch,
): Promise<void> {
  const directory = scratchPath(lake, "cut");
  try {
    await mkdir(directory, { recursive: true });
    await cutByMonth(sql, narrowQuery(batch));
    await sql.run(`copy (${withFile(batchQuery(batch))}) to ${sqlText(directory)}
      (${CUT_FILE}, partition_by (cut_file), write_partition_columns false, overwrite_or_ignore true)`);
    await storage.store(await writtenFiles(sql, directory), directory);
  } catch (error) {
    await rm(directory, { force: true, recursive: true });
    const smaller = isOutOfMemory(error) ? smallerBatches(batch) : undefined;
    if (smaller === undefined) throw error;
    for (const part of smaller) await writeBatch(lake, sql, storage, part);
  }
}
