import { rm } from "node:fs/promises";
import type { SqlSession } from "./duckdb-session.js";
import { sqlText } from "./duckdb-sql.js";
import type { Lake } from "./lake.js";
import { bundleQuery, type PageBundle } from "./page-bundle.js";
import { type DataFile, scratchPath, storeFile } from "./parquet-file.js";
import type { Stream } from "./stream.js";
import { APPENDED_FILE, writeFiles } from "./written-files.js";

/** A statement is one row group: a second thread finds nothing to do, and takes the core that reading needs. */
const LOAD_THREADS = 1;

/** Rows of one link in one loaded file. */
export interface LinkRows {
  readonly link_id: string;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly sign_conflicts: number;
  readonly sequence_from: number;
  readonly sequence_to: number;
}

/** A file of `transaction_changes` with the rows of each link in it. */
export interface FeedFile extends DataFile {
  readonly links: readonly LinkRows[];
}

/**
 * Loads staged pages of `transactions` into one new file of the feed (DESIGN.md, load); undefined where they
 * hold no rows. The counts are read back from the written file.
 *
 * @throws Error in DuckDB's words when it refuses a page: one is enough for all of them.
 */
export async function loadFeedFile(
  lake: Lake,
  stream: Stream,
  prefix: string,
  bundle: PageBundle,
): Promise<FeedFile | undefined> {
  const path = scratchPath(lake, "parquet");
  try {
    const written = await lake.duckdb.exclusive(async (sql) => {
      const [known] = await writeFiles(sql, bundleQuery(stream, bundle), sqlText(path), APPENDED_FILE);
      return known && { known, links: await linkRows(sql, path) };
    }, LOAD_THREADS);
    if (written === undefined) return undefined;
    const file = await storeFile(lake, stream.table, prefix, path, written.known);
    return { ...file, links: written.links };
  } finally {
    await rm(path, { force: true });
  }
}

async function linkRows(sql: SqlSession, path: string): Promise<LinkRows[]> {
  const rows = await sql.rows(`
    select link_id, count(*) filter (change_type = 'created') as created,
      count(*) filter (change_type = 'updated') as updated,
      count(*) filter (change_type = 'removed') as removed,
      count(*) filter (sign(amount) * sign(signed_amount) < 0) as sign_conflicts,
      min(sequence) as sequence_from, max(sequence) as sequence_to
    from read_parquet(${sqlText(path)}) group by link_id`);
  return rows.map((row) => ({
    link_id: String(row.link_id),
    created: Number(row.created),
    updated: Number(row.updated),
    removed: Number(row.removed),
    sign_conflicts: Number(row.sign_conflicts),
    sequence_from: Number(row.sequence_from),
    sequence_to: Number(row.sequence_to),
  }));
}
