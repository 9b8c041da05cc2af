import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Column } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlNames, sqlText } from "../sql/duckdb-sql.js";
import { scratchPath } from "../tables/parquet-file.js";
import { APPENDED_FILE, writeFiles } from "../tables/written-files.js";
import { currentOf, type HistorySpec } from "./history-spec.js";
import type { NewestFiles } from "./newest-rows.js";

/** Files that are written at once: each takes memory. */
const FAN_OUT = 16;
/** Rows that wait in memory to be written to them. */
const WAITING_ROWS = 20_480;

const PART_FILE = { ...APPENDED_FILE, cut: ", partition_by (part), write_partition_columns false" };

/**
 * Works on so many parts of a history's keys, one after another, each with files that hold all rows of its keys. Rows are
 * copied to files of their part, at most 16 parts at a time, so the time grows with the rows and not with rows times parts.
 *
 * @param divisor of a key's hash, whose lower digits chose the part that is cut into parts now
 */
export async function inKeyParts(
  lake: Pick<Lake, "duckdb">,
  spec: HistorySpec,
  files: NewestFiles,
  parts: number,
  work: (files: NewestFiles) => Promise<void>,
  divisor = 1n,
): Promise<void> {
  if (parts <= 1) return work(files);
  const levels = Math.ceil(Math.log(parts) / Math.log(FAN_OUT));
  const fan = Math.ceil(parts ** (1 / levels));
  const directory = scratchPath(lake, "parts");
  const part = `hash(${sqlNames(spec.key)}) // ${divisor} % ${fan}`;
  const cut = (columns: readonly Column[], name: keyof NewestFiles) =>
    cutRows(
      lake,
      `select *, ${part} as part from ${parquetRows(files[name], columns)}`,
      join(directory, name),
    );
  try {
    await lake.duckdb.makeScratch();
    await mkdir(directory);
    const current = await cut(currentOf(spec).columns, "current");
    const since = await cut(spec.columns, "since");
    for (let at = 0; at < fan; at += 1) {
      const own = { current: current.get(at) ?? [], since: since.get(at) ?? [] };
      await inKeyParts(lake, spec, own, Math.ceil(parts / fan), work, divisor * BigInt(fan));
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes rows into a directory, and gives the files of each part. */
async function cutRows(
  lake: Pick<Lake, "duckdb">,
  query: string,
  directory: string,
): Promise<Map<number, string[]>> {
  const written = await lake.duckdb.exclusive(async (sql) => {
    await sql.run(`set partitioned_write_flush_threshold = ${WAITING_ROWS}`);
    return writeFiles(sql, query, sqlText(directory), PART_FILE);
  });
  const files = new Map<number, string[]>();
  for (const { path } of written) {
    const part = Number(/part=(\d+)[/\\][^/\\]*$/.exec(path)?.[1]);
    files.set(part, [...(files.get(part) ?? []), path]);
  }
  return files;
}
