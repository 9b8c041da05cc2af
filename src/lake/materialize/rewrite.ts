import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SqlSession } from "../duckdb-session.js";
import { sqlText } from "../duckdb-sql.js";
import type { Lake } from "../lake.js";
import { scratchPath } from "../parquet-file.js";
import { batchQuery } from "./batch-query.js";
import { type Batch, fileRows } from "./batches.js";
import type { Rewrite } from "./rewrite-plan.js";
import { isOutOfMemory } from "./sql-failure.js";
import { inTwoLanes } from "./sql-lanes.js";
import { CUT_FILE, writeBatch } from "./write-batch.js";
import { type FileStorage, writtenFiles } from "./written-files.js";

/** Files that are written before their statistics are read back, all in one query. */
export const REWRITES_AT_ONCE = 32;

/** Writes each file again without the rows that are gone, one statement a file. */
export async function rewriteFiles(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  rewrites: readonly Rewrite[],
): Promise<void> {
  const directory = scratchPath(lake, "rewritten");
  try {
    await mkdir(directory, { recursive: true });
    const statements = rewrites.map((rewrite, at) => {
      const path = sqlText(join(directory, `${at}.parquet`));
      return `copy (${batchQuery(batchOf(rewrite))}) to ${path} (${CUT_FILE})`;
    });
    await inTwoLanes(lake, sql, statements);
    await storage.store(await writtenFiles(sql, directory), directory);
  } catch (error) {
    await rm(directory, { force: true, recursive: true });
    if (!isOutOfMemory(error)) throw error;
    for (const rewrite of rewrites) await writeBatch(lake, sql, storage, batchOf(rewrite));
  }
}

function batchOf({ file, month }: Rewrite): Batch {
  return {
    feed: [],
    live: [file],
    months: month === undefined ? [] : [month],
    rows: fileRows(file),
    parts: 1,
    part: 0,
  };
}
