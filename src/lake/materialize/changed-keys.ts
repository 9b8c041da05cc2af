import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { findNewestUpdates, isReplaced, type Refreshes, WITH_NEWEST_UPDATE } from "./pending-rows.js";
import { andInPart, inHalves, type LinkRange, type LinkRows, linkRanges } from "./row-parts.js";
import { fileNumber, holdingLinks, linkCounts, reading, type SourceFile } from "./sources.js";

const SCHEMA = "materializing";

/** Rows that leave their live file. Every connection of the engine sees it, unlike a temp table. */
export const GONE = `${SCHEMA}.gone`;

/** Feed rows that leave nothing: older rows of their keys, removals, or pending rows that were replaced. */
export const SUPERSEDED = `${SCHEMA}.superseded`;

/** The shelf of each month with new rows, by its number. */
export const SHELF_OF_MONTH = `${SCHEMA}.shelf_of_month`;

export async function withSharedTables<T>(sql: SqlSession, work: () => Promise<T>): Promise<T> {
  await sql.run(`create schema if not exists ${SCHEMA}`);
  try {
    return await work();
  } finally {
    await sql.run(`drop schema if exists ${SCHEMA} cascade`);
  }
}

/** Changed rows whose keys SQL may hold in memory at once (docs/inside/rules.md, "Materialize"). */
const SLICE_ROWS = 250_000;

/** Up to this many keys are looked up in one pass, whatever their links: a first pass for the links costs half as much. */
const FEW_ROWS = 50_000;

/**
 * Compares the keys of changed rows, slice by slice, and leaves two tables: `SUPERSEDED(file, link_id, sequence)` has the feed
 * rows that leave nothing (an older row of their key, or a removal), `GONE(file, row, link_id, sequence)` the rows that leave
 * their live file. (`link_id`, `sequence`) identifies one row of the feed (docs/inside/rules.md, "Heads").
 *
 * @param refreshes where pending rows are replaced: then every pending row of a link with an update leaves, but its own
 */
export async function findChangedKeys(
  sql: SqlSession,
  feed: readonly SourceFile[],
  live: readonly SourceFile[],
  refreshes: Refreshes | undefined,
  signal?: AbortSignal,
) {
  await sql.run(`create or replace table ${SUPERSEDED} (file integer, link_id varchar, sequence bigint)`);
  await sql.run(
    `create or replace table ${GONE} (file integer, "row" bigint, link_id varchar, sequence bigint)`,
  );
  await sql.run("create or replace temp table known_link (link_id varchar)");
  const links = await linkCounts(sql, feed);
  const rows = links.reduce((sum, link) => sum + link.rows, 0);
  if (refreshes !== undefined) {
    await findNewestUpdates(sql, feed.length === 0 ? undefined : reading(feed), refreshes.files);
    await findReplacedRows(sql, live);
  }
  if (rows > FEW_ROWS) await findKnownLinks(sql, links, live);
  else if (rows > 0) await sql.run(`insert into known_link select distinct link_id from ${reading(feed)}`);
  for (const slice of linkRanges(links, SLICE_ROWS)) {
    await inHalves(slice, (part) => {
      signal?.throwIfAborted();
      return inTransaction(sql, () => judgeSlice(sql, part, feed, live, refreshes !== undefined));
    });
  }
  const [{ superseded } = {}] = await sql.rows(`select count(*) as superseded from ${SUPERSEDED}`);
  const touched = await sql.rows(`select distinct file from ${GONE}`);
  const ids = new Set(touched.map(({ file }) => Number(file)));
  return {
    /** Feed rows to apply, superseded and removed ones left out. */
    freshRows: rows - Number(superseded),
    /** Live files that hold rows of changed keys. */
    touched: new Set(live.filter(({ id }) => ids.has(id))),
  };
}

/** Finds links that have earlier rows: only theirs are looked up, so a feed's first load reads no keys of `transactions`. */
async function findKnownLinks(
  sql: SqlSession,
  links: readonly LinkRows[],
  live: readonly SourceFile[],
): Promise<void> {
  const [first, last] = [links[0], links.at(-1)];
  if (first === undefined || last === undefined) return;
  const candidates = holdingLinks(live, first.link, last.link);
  if (candidates.length === 0) return;
  await sql.run(`insert into known_link select distinct link_id from ${reading(candidates)}
    where link_id between ${sqlText(first.link)} and ${sqlText(last.link)}`);
}

/**
 * Finds the pending rows of `transactions` that were replaced, whatever their key: by an update of their link, which is newer
 * than any row there, or by a refresh that brought nothing. They are few, and one pass finds them.
 */
async function findReplacedRows(sql: SqlSession, live: readonly SourceFile[]): Promise<void> {
  if (live.length === 0) return;
  await sql.run(`insert into ${GONE}
    select ${fileNumber(live)}, file_row_number, link_id, sequence from (
      select file_index, file_row_number, link_id, sequence, fetched_at from ${reading(live)} where pending)
    join newest_update n using (link_id) where n.run_id is not null or fetched_at < n.refreshed_at`);
}

async function inTransaction(sql: SqlSession, work: () => Promise<void>): Promise<void> {
  await sql.run("begin");
  try {
    await work();
    await sql.run("commit");
  } catch (error) {
    await sql.run("rollback");
    throw error;
  }
}

async function judgeSlice(
  sql: SqlSession,
  slice: LinkRange,
  feed: readonly SourceFile[],
  live: readonly SourceFile[],
  areReplaced: boolean,
): Promise<void> {
  const within = `link_id between ${sqlText(slice.from)} and ${sqlText(slice.to)}${andInPart(slice)}`;
  const changed = holdingLinks(feed, slice.from, slice.to);
  const [joined, orReplaced] = areReplaced ? [WITH_NEWEST_UPDATE, `or ${isReplaced("t")}`] : ["", ""];
  await sql.run(`create or replace temp table change as
    select ${fileNumber(changed)} as file, link_id, transaction_id, sequence,
      change_type = 'removed' ${orReplaced} as removed
    from ${reading(changed)} t ${joined} where ${within}`);
  await sql.run(`insert into ${SUPERSEDED}
    select file, link_id, sequence from change where removed
    union all
    select file, link_id, sequence from change join (
      select link_id, transaction_id, max(sequence) as newest from change
      group by link_id, transaction_id having count(*) > 1
    ) using (link_id, transaction_id)
    where not removed and sequence < newest`);
  const candidates = holdingLinks(live, slice.from, slice.to);
  if (candidates.length > 0) {
    // The pending rows of these links have left already.
    const rest = areReplaced ? "where pending is not true" : "";
    await sql.run(`insert into ${GONE}
      select ${fileNumber(candidates)}, file_row_number, link_id, sequence from (
        select file_index, file_row_number, link_id, sequence from ${reading(candidates)}
        semi join (select link_id, transaction_id from change semi join known_link using (link_id))
          using (link_id, transaction_id) ${rest})`);
  }
  await sql.run("drop table change");
}
