import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import { changesAfter, commitsBack } from "../delta/delta-log.js";
import { fileKey } from "../delta/delta-path.js";
import { isErasure, type Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { accountInPart, inHalves, type LinkRange } from "../materialize/row-parts.js";
import { sourceFiles } from "../materialize/sources.js";
import { inQueue } from "../queue.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { commitNext } from "../tables/append.js";
import { compact } from "../tables/compact.js";
import { type DataFile, writeQuery } from "../tables/parquet-file.js";
import { transactionChanges, transactionLinks, transactions } from "../tables/transactions.js";
import {
  copiedWatermark,
  setsWatermark,
  sinceWatermark,
  watermarkActions,
  watermarkOf,
} from "../watermark.js";
import { judgedRowsSql, judgeInto } from "./judged-table.js";
import { type LineageFiles, rangesToJudge } from "./lineage-events.js";

const ORDER = ["link_id", "removed_sequence"];
const COLUMNS = transactionLinks.columns.map(({ name }) => sqlName(name)).join(", ");

/** A second thread would read JSON into a buffer of its own, of 32 MB. */
const THREADS = 1;

interface LineageOptions {
  /** Begins the names of new files, so that they tell where they came from. */
  readonly prefix: string;
  readonly signal?: AbortSignal;
  /** Changed rows that are judged together. */
  readonly rangeRows?: number;
}

/**
 * Brings `transaction_links` to the version of the feed that `transactions` has reached, in one commit with its watermark.
 * @throws InputError where a file is missing; StoreFullError on a full disk; the signal's reason. The table then is as it was.
 */
export async function bringUpLinks(lake: Lake, options: LineageOptions) {
  return inQueue(`${lake.store.address}/${transactionLinks.name}`, async () => {
    for (;;) {
      const state = await lineageState(lake);
      const sources = await lineageSources(lake, state);
      if (sources === undefined) return { rows: 0 };
      const written = await write(lake, state, sources, options);
      const actions = [{ commitInfo: { operation: "MERGE" } }, ...sources.watermark];
      if (!(await commitNext(lake, transactionLinks, state.links, { ...written, actions }))) continue;
      await compact(lake, transactionLinks, ORDER);
      return { rows: written.rows, ...(sources.because !== undefined && { because: sources.because }) };
    }
  });
}

async function write(
  lake: Lake,
  { links }: LineageState,
  { changes, before, whole }: LineageSources,
  { prefix, signal, rangeRows }: LineageOptions,
) {
  const live = [...links.files.values()];
  const files: LineageFiles = {
    feed: await sourceFiles(lake, transactionChanges.name, changes),
    before: await localFiles(
      { ...lake, table: "transactions" },
      before.map((path) => ({ path })),
    ),
    links: whole ? [] : await localFiles({ ...lake, table: transactionLinks.name }, live),
  };
  const written: DataFile[] = [];
  try {
    return await lake.duckdb.exclusive(async (sql) => {
      await sql.run(
        "create or replace temp table gone (file bigint, link_id varchar, removed_sequence bigint)",
      );
      for (const range of await rangesToJudge(sql, files, rangeRows)) {
        signal?.throwIfAborted();
        await inHalves(range, async (part) => {
          written.push(...(await judgeRange(lake, sql, files, part, prefix)));
        });
      }
      const rows = written.reduce((sum, file) => sum + file.rows, 0);
      if (whole) return { files: written, replaced: live, rows };
      const touched = (await sql.rows("select distinct file from gone order by file")).map((row) =>
        Number(row.file),
      );
      for (const at of touched) {
        signal?.throwIfAborted();
        written.push(...(await withoutGone(lake, files.links[at] as string, at, prefix)));
      }
      return { files: written, replaced: touched.map((at) => live[at] as AddFile), rows };
    }, THREADS);
  } catch (error) {
    await Promise.all(written.map(({ path }) => lake.store.delete(`${transactionLinks.name}/${path}`)));
    throw error;
  }
}

/** Writes the rows of a range that are new or have changed, and remembers the rows that they replace. */
async function judgeRange(
  lake: Lake,
  sql: SqlSession,
  files: LineageFiles,
  range: LinkRange,
  prefix: string,
): Promise<DataFile[]> {
  await judgeInto(sql, files, range);
  const written = await writeQuery(lake, transactionLinks, prefix, judgedRowsSql(range, ORDER));
  await sql.run(`insert into gone select judged.file, link_id, removed_sequence from judged join event using (link_id)
    where rank = 0 and sequence = removed_sequence and ${accountInPart(range)}`);
  return written;
}

function withoutGone(lake: Lake, path: string, at: number, prefix: string): Promise<DataFile[]> {
  return writeQuery(
    lake,
    transactionLinks,
    prefix,
    `select ${COLUMNS} from ${parquetRows([path], transactionLinks.columns)}
      anti join (select link_id, removed_sequence from gone where file = ${at}) using (link_id, removed_sequence)
      order by ${ORDER.join(", ")}`,
  );
}

const FEED = transactionChanges.name;

/** States of the three tables, each read after those that derive from it. */
interface LineageState {
  readonly links: Snapshot;
  readonly current: Snapshot;
  readonly feed: Snapshot;
}

async function lineageState(lake: Lake): Promise<LineageState> {
  const links = await lake.table(transactionLinks.name).snapshot();
  const current = await lake.table(transactions.name).snapshot();
  return { links, current, feed: await lake.table(FEED).snapshot() };
}

/** What brings `transaction_links` to the version of the feed that `transactions` has reached. */
interface LineageSources {
  readonly changes: readonly AddFile[];
  /** Paths of files that `transactions` has replaced since: they hold the earlier state of every changed transaction. */
  readonly before: readonly string[];
  /** Whether the changes are all that the feed has; they then replace whatever the table holds. */
  readonly whole: boolean;
  /** Why, if there is a table. */
  readonly because?: string;
  readonly watermark: Awaited<ReturnType<typeof watermarkActions>>;
}

/** Finds what to read; undefined if `transaction_links` is up to date, or ahead. @throws InputError if the feed is missing. */
async function lineageSources(lake: Lake, state: LineageState): Promise<LineageSources | undefined> {
  const { links, current, feed } = state;
  const to = watermarkOf(current, FEED);
  if (to < 0) return undefined;
  const { changed, because } = await sinceWatermark(
    lake,
    { table: transactionLinks.name, snapshot: links },
    { table: FEED, snapshot: feed },
  );
  if (changed === undefined) return wholeFeed(lake, state, because);
  if (watermarkOf(links, FEED) >= to) return undefined;
  const changes = changed.filter(({ version }) => version <= to).map(({ add }) => add);
  const before = await replacedSince(lake, state);
  if (before === undefined) {
    return wholeFeed(lake, state, `the files that ${transactions.name} had then can't be read any more`);
  }
  return { changes, before, whole: false, watermark: copiedWatermark(current, FEED) };
}

/** Takes the whole feed, as far as `transactions` has come if the log tells what came after that. */
async function wholeFeed(
  lake: Lake,
  { current, feed }: LineageState,
  because: string | undefined,
): Promise<LineageSources> {
  const later = await changesAfter({ ...lake, table: FEED }, watermarkOf(current, FEED), feed);
  const left = new Set(later?.map(({ add }) => add.path));
  return {
    changes: [...feed.files.values()].filter(({ path }) => !left.has(path)),
    before: [],
    whole: true,
    ...(because !== undefined && { because }),
    watermark:
      later === undefined
        ? await watermarkActions(lake.store, { table: FEED, snapshot: feed }, feed.version)
        : copiedWatermark(current, FEED),
  };
}

/** Finds what the files of `transactions` replaced since the watermark of `transaction_links`; undefined where that is lost. */
async function replacedSince(lake: Lake, { links, current }: LineageState): Promise<string[] | undefined> {
  const log = { ...lake, table: transactions.name };
  const replaced = new Set<string>();
  for await (const { actions } of commitsBack(log, current.version)) {
    if (setsWatermark(actions, links, FEED)) {
      const found = await lake.store.stats([...replaced].map((path) => fileKey(transactions.name, path)));
      return found.includes(undefined) ? undefined : [...replaced];
    }
    // It left all that a file says of others; the file itself is deleted.
    if (isErasure(actions)) continue;
    for (const action of actions) {
      if ("add" in action) replaced.delete(action.add.path);
      else if ("remove" in action) replaced.add(action.remove.path);
    }
  }
  return undefined;
}
