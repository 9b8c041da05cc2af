import type { Lake } from "../../lake.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CURRENT_FILE, type WrittenFile, writeFiles } from "../../tables/written-files.js";
import { batchQuery } from "../batch-query.js";
import { type Batch, fileRows } from "../batches.js";
import type { Progress } from "../progress.js";
import { inTwoLanes } from "../sql-lanes.js";
import type { FileStorage } from "./file-storage.js";
import type { Rewrite } from "./rewrite-plan.js";
import { writeBatch } from "./write-batch.js";

/** Writes each file again without the rows that are gone, one statement a file. */
export async function rewriteFiles(
  lake: Lake,
  sql: SqlSession,
  storage: FileStorage,
  rewrites: readonly Rewrite[],
  progress: Progress,
): Promise<void> {
  const tooLarge: Rewrite[] = [];
  const tasks = rewrites.map(
    (rewrite) => (session: SqlSession) =>
      progress.of(fileRows(rewrite.file), async () => {
        const files = await rewritten(session, storage, rewrite);
        if (files === undefined) tooLarge.push(rewrite);
        else await storage.store(files);
      }),
  );
  await inTwoLanes(lake, sql, tasks);
  for (const rewrite of tooLarge) await writeBatch(sql, storage, batchOf(rewrite));
}

/** Undefined where memory did not suffice beside the other connection. */
async function rewritten(
  sql: SqlSession,
  storage: FileStorage,
  rewrite: Rewrite,
): Promise<WrittenFile[] | undefined> {
  const path = await storage.scratch("parquet");
  try {
    return await writeFiles(sql, batchQuery(batchOf(rewrite)), sqlText(path), CURRENT_FILE);
  } catch (error) {
    if (isOutOfMemory(error)) return undefined;
    throw error;
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
