import { rm } from "node:fs/promises";
import { isOutOfMemory } from "../../sql/duckdb.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CURRENT_FILE, type WrittenFile, writeFiles } from "../../tables/written-files.js";
import { batchQuery, narrowQuery } from "../batch-query.js";
import { type Batch, smallerBatches } from "../batches.js";
import type { FileStorage } from "./file-storage.js";
import { cutByMonth, withFile } from "./month-cut.js";

/** Writes a batch as files cut by month; in smaller ones where memory does not suffice. */
export async function writeBatch(sql: SqlSession, storage: FileStorage, batch: Batch): Promise<void> {
  const directory = await storage.scratch("cut");
  let files: WrittenFile[];
  try {
    await cutByMonth(sql, narrowQuery(batch));
    files = await writeFiles(sql, withFile(batchQuery(batch)), sqlText(directory), {
      ...CURRENT_FILE,
      cut: ", partition_by (cut_file), write_partition_columns false, overwrite_or_ignore true",
    });
  } catch (error) {
    await rm(directory, { force: true, recursive: true });
    const smaller = isOutOfMemory(error) ? smallerBatches(batch) : undefined;
    if (smaller === undefined) throw error;
    for (const part of smaller) await writeBatch(sql, storage, part);
    return;
  }
  await storage.store(files);
}
