import { rm } from "node:fs/promises";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { createSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { type DataFile, scratchPath, storeFiles } from "../tables/parquet-file.js";
import { APPENDED_FILE, writeFiles } from "../tables/written-files.js";
import { bundleQuery, type PageBundle, type PageSql } from "./page-bundle.js";

/** A statement writes one row group: a second thread would find nothing to do, and take the core that reading needs. */
const LOAD_THREADS = 1;

interface LinkRows {
  readonly link_id: string;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly sign_conflicts: number;
  readonly sequence_from: number;
  readonly sequence_to: number;
}

export interface FeedFile extends DataFile {
  readonly links: readonly LinkRows[];
}

/**
 * Loads staged pages of `transactions` into one new file of the feed (docs/inside/architecture.md, "Load"); undefined if
 * they hold no rows. It reads the counts back from the written file.
 *
 * @throws Error in DuckDB's words if it refuses any of the pages
 */
export async function loadFeedFile(
  lake: Lake,
  stream: PageSql,
  prefix: string,
  bundle: PageBundle,
): Promise<FeedFile | undefined> {
  if (bundle.origins.length === 0) return undefined;
  const path = scratchPath(lake, "parquet");
  try {
    const written = await lake.duckdb.exclusive(
      (sql) => writeFiles(sql, bundleQuery(stream, bundle), sqlText(path), APPENDED_FILE),
      LOAD_THREADS,
    );
    if (written.length === 0) return undefined;
    const links = await linkRows(lake, path);
    const [file] = await storeFiles(lake, stream.table, prefix, written);
    return file && { ...file, links };
  } finally {
    await rm(path, { force: true });
  }
}

/** Counts each link's rows, while the next load may run: it reads only five narrow columns of one file. */
async function linkRows({ duckdb }: Lake, path: string): Promise<LinkRows[]> {
  const connection = await duckdb.connect();
  try {
    const rows = await createSession(connection).few(`
      select link_id, count(*) filter (change_type = 'created') as created,
        count(*) filter (change_type = 'updated') as updated,
        count(*) filter (change_type = 'removed') as removed,
        count(*) filter (sign(amount) * sign(signed_amount) < 0) as sign_conflicts,
        min(sequence) as sequence_from, max(sequence) as sequence_to
      from ${parquetFiles([path])} group by link_id`);
    return rows.map((row) => ({
      link_id: String(row.link_id),
      created: Number(row.created),
      updated: Number(row.updated),
      removed: Number(row.removed),
      sign_conflicts: Number(row.sign_conflicts),
      sequence_from: Number(row.sequence_from),
      sequence_to: Number(row.sequence_to),
    }));
  } finally {
    connection.closeSync();
  }
}
