import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { localFiles } from "../delta/data-files.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { wantedRule } from "../materialize/pending-rows.js";
import { andInPart, inHalves, rowParts } from "../materialize/row-parts.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlText, typedColumns } from "../sql/duckdb-sql.js";
import {
  APPENDED_FILE,
  type DataFile,
  scratchPath,
  storeFiles,
  type WrittenFile,
  writeFiles,
} from "../tables/parquet-file.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { bundleQuery, type PageBundle, type PageSql } from "./page-bundle.js";
import { PART_KEY, PART_TEXT } from "./rows-hash.js";

/** A statement writes one row group: a second thread would take the core that reading needs. */
const LOAD_THREADS = 1;

/** Their texts are in memory until the statement ends. */
const HASHED_ROWS = 50_000;

const COUNTS = {
  created: "count(*) filter (change_type = 'created')",
  updated: "count(*) filter (change_type = 'updated')",
  removed: "count(*) filter (change_type = 'removed')",
  sign_conflicts: "count(*) filter (sign(amount) * sign(signed_amount) < 0)",
  sequence_from: "min(sequence)",
  sequence_to: "max(sequence)",
} as const;

const PART = Object.entries(COUNTS).map(([name, sql]) => `${sql} as ${name}`);

/** One part of an update's rows (docs/use/tables.md, "Certificate"). */
type PartRows = Readonly<Record<"link_id" | "sha256", string> & Record<keyof typeof COUNTS, number>>;

export interface FeedFile extends DataFile {
  readonly parts: readonly PartRows[];
}

/**
 * Loads pages into one file of the feed; undefined without rows.
 * @throws Error in DuckDB's words if it refuses a page
 */
export async function loadFeedFile(
  lake: Lake,
  stream: PageSql,
  prefix: string,
  bundle: PageBundle,
): Promise<FeedFile | undefined> {
  return bundle.origins.length === 0 ? undefined : writeFeedFile(lake, prefix, bundleQuery(stream, bundle));
}

/** Writes one file of the feed, and reads from it what its parts are; undefined without rows. */
export async function writeFeedFile(
  lake: Lake,
  prefix: string,
  query: string,
): Promise<FeedFile | undefined> {
  const path = scratchPath(lake, "parquet");
  try {
    const { written, parts } = await lake.duckdb.exclusive(async (sql) => {
      const written = await writeFiles(sql, query, sqlText(path), APPENDED_FILE);
      const [rows] = written;
      return { written, parts: rows === undefined ? [] : await partsOf(sql, rows) };
    }, LOAD_THREADS);
    const [file] = await storeFiles(lake, transactionChanges, prefix, written);
    return file && { ...file, parts };
  } finally {
    await rm(path, { force: true });
  }
}

async function partsOf(sql: SqlSession, { path, rows }: WrittenFile): Promise<PartRows[]> {
  const found: PartRows[] = [];
  for (const part of rowParts(rows, HASHED_ROWS)) {
    const read = await inHalves(part, (some) =>
      sql.rowsAtOnce(`select link_id, ${PART.join(", ")}, encode(${PART_TEXT}) as part_text
        from ${parquetFiles([path])} where true${andInPart(some, PART_KEY)} group by ${PART_KEY}`),
    );
    for (const { link_id, part_text, ...counts } of read.flat()) {
      const numbers = Object.entries(counts).map(([name, count]) => [name, Number(count)]);
      const sha256 = hash("sha256", part_text as Uint8Array);
      found.push({ link_id: String(link_id), sha256, ...Object.fromEntries(numbers) });
    }
  }
  return found;
}

/** The end of a full resync. */
interface FullReading {
  readonly linkId: string;
  readonly fpId: string;
  readonly externalId: string | null;
  readonly runId: string;
  readonly generation: number;
  /** Runs may have committed parts of it. */
  readonly resyncFrom: number;
  readonly sequenceFrom: number;
  /** Not committed yet. */
  readonly files: readonly DataFile[];
  /** They came back bad. */
  readonly quarantinedIds: readonly string[];
  readonly at: Date;
}

/**
 * Finds live ids of the feed that a full resync did not bring back (docs/inside/rules.md, "Sync rules"). It holds as long
 * as the link's head does, which the caller checks when it commits.
 */
export async function inferRemovals(lake: Lake, reading: FullReading) {
  const location = { ...lake, table: transactionChanges.name };
  const { files } = await lake.table(location.table).snapshot();
  const holdsLink = holdsLinks(reading.linkId, reading.linkId);
  const feed = [...files.values()].filter((file) => holdsLink(factsOf(file)));
  if (feed.length === 0) return { known: 0, gone: 0, write: async () => undefined };
  const rows = async (of: readonly { readonly path: string }[]) =>
    `${parquetFiles(await localFiles(location, of))} where link_id = ${sqlText(reading.linkId)}`;
  // Every update replaces them: none has to come back.
  const current = await lake.table(transactions.name).snapshot();
  const others =
    wantedRule(lake.pending, current) === "replaced" ? " and arg_max(pending, sequence) is not true" : "";
  const committed = await rows(feed);
  const known = `select transaction_id from ${committed} and sequence < ${reading.resyncFrom}
    group by transaction_id having arg_max(change_type, sequence) <> 'removed'${others}`;
  const earlier = `union all select transaction_id from ${committed} and sequence >= ${reading.resyncFrom}`;
  const back =
    reading.files.length === 0 ? "" : `union all select transaction_id from ${await rows(reading.files)}`;
  const gone = `select transaction_id from (${known}) anti join (
    select unnest(${sqlList(reading.quarantinedIds)}::varchar[]) as transaction_id ${earlier} ${back}) using (transaction_id)`;
  const [counts] = await lake.duckdb.exclusive((sql) =>
    sql.rows(`select (select count(*) from (${known})) as known, (select count(*) from (${gone})) as gone`),
  );
  return {
    known: Number(counts?.known),
    gone: Number(counts?.gone),
    write: () => writeFeedFile(lake, reading.runId, removals(reading, gone)),
  };
}

function removals(reading: FullReading, gone: string): string {
  const values: Readonly<Record<string, string>> = {
    link_id: sqlText(reading.linkId),
    fp_id: sqlText(reading.fpId),
    transaction_id: "transaction_id",
    change_type: "'removed'",
    sequence: `${reading.sequenceFrom} - 1 + row_number() over (order by transaction_id)`,
    generation: `${reading.generation}`,
    inferred: "true",
    run_id: sqlText(reading.runId),
    fetched_at: sqlText(reading.at.toISOString()),
    ...(reading.externalId !== null && { external_id: sqlText(reading.externalId) }),
  };
  return `select ${typedColumns(transactionChanges.columns, (name) => values[name] ?? "null")} from (${gone})`;
}
