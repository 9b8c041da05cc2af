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

const COUNTS = {
  created: "count(*) filter (change_type = 'created')",
  updated: "count(*) filter (change_type = 'updated')",
  removed: "count(*) filter (change_type = 'removed')",
  sign_conflicts: "count(*) filter (sign(amount) * sign(signed_amount) < 0)",
  sequence_from: "min(sequence)",
  sequence_to: "max(sequence)",
} as const;

/** What one file holds of one link. */
type LinkRows = Readonly<Record<"link_id", string> & Record<keyof typeof COUNTS, number>>;

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
    const counts = Object.entries(COUNTS).map(([name, sql]) => `${sql} as ${name}`);
    const rows = await createSession(connection).few(
      `select link_id, ${counts.join(", ")} from ${parquetFiles([path])} group by link_id`,
    );
    return rows.map(({ link_id, ...counted }) => {
      const numbers = Object.entries(counted).map(([name, count]) => [name, Number(count)]);
      return { link_id: String(link_id), ...Object.fromEntries(numbers) };
    });
  } finally {
    connection.closeSync();
  }
}
