import { WINDOW_DAYS } from "../../domain/lineage/open-departures.js";
import { accountInPart, type LinkRange, linkRanges } from "../materialize/row-parts.js";
import { holdingLinks, reading, type SourceFile } from "../materialize/sources.js";
import { parquetFiles, parquetRows } from "../sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { transactionLinks } from "../tables/transactions.js";

/** The local files that lineage reads. */
export interface LineageFiles {
  /** Of the feed: what is new. */
  readonly feed: readonly SourceFile[];
  /** Of `transactions`: earlier states of what has changed. */
  readonly before: readonly string[];
  /** Of `transaction_links`; none if it is built from the whole feed. */
  readonly links: readonly string[];
}

const STATE = "account_id, currency, type, signed_amount, date, pending, merchant_id, description";
const CHANGE = `link_id, fp_id, transaction_id, sequence, run_id, generation, ${STATE}`;

/** Departures that are still open: as changes are, with their own columns after them. */
const OPEN = `select 0 as rank, link_id, fp_id, pending_transaction_id as transaction_id,
    removed_sequence as sequence, removed_run_id as run_id, null::integer as generation, removal_inferred as inferred, false as removed,
    account_id, currency, type, pending_signed_amount as signed_amount, pending_date as date, true as pending,
    merchant_id, description, tier, candidate_tier, posted_candidates, pending_candidates, candidate_ids,
    file_index::bigint as file`;

/** Changed rows of links that are judged together: they are sorted in memory, with all that is needed of them. */
const RANGE_ROWS = 50_000;

/**
 * Prepares the tables that {@link rangeEvents} reads, and gives the ranges of links with anything to decide: those that
 * removed a transaction, or have an open departure. A first load that removes nothing costs a look at one column's bounds.
 */
export async function rangesToJudge(
  sql: SqlSession,
  files: LineageFiles,
  rangeRows = RANGE_ROWS,
): Promise<LinkRange[]> {
  if (files.feed.length === 0) return [];
  const { columns } = transactionLinks;
  const links = parquetRows(files.links, columns, "file_index");
  const open = `${links} where tier in ('waiting', 'ambiguous')`;
  await sql.run(`create or replace temp table judged_link as
    select link_id, count(*) as n from ${reading(files.feed)} where link_id in (
      select link_id from ${reading(files.feed)} where change_type = 'removed'
      union select link_id from ${open}) group by link_id`);
  await sql.run(`create or replace temp table open_departure as ${OPEN} from ${open}
    and link_id in (select link_id from judged_link)`);
  const rows = await sql.rows("select link_id, n from judged_link order by link_id");
  return linkRanges(
    rows.map(({ link_id, n }) => ({ link: String(link_id), rows: Number(n) })),
    rangeRows,
  );
}

/**
 * Gathers in the table `event` what a range of links needs for its decisions: open departures, ids of earlier ones, earlier
 * states, and the changes that can matter: of removed transactions, of departures that came back, and of those that may fit
 * each other. Gives what the judge reads of them, by link and in order.
 */
export async function* rangeEvents(
  sql: SqlSession,
  files: LineageFiles,
  range: LinkRange,
): AsyncGenerator<SqlRow[]> {
  const within = `link_id between ${sqlText(range.from)} and ${sqlText(range.to)}`;
  const all = `(select 3 as rank, ${CHANGE}, inferred, change_type = 'removed' as removed
    from ${reading(holdingLinks(files.feed, range.from, range.to))}
    where ${within} and link_id in (select link_id from judged_link))`;
  const inPart = await partOf(sql, files, range, { within, changes: all });
  const feed = `(select * from ${all}${inPart})`;
  const addChanges = (keys: string) =>
    sql.run(
      `insert into event by name select * from ${feed} semi join ${keys} using (link_id, transaction_id)`,
    );
  await sql.run(
    `create or replace temp table open_here as select * from open_departure${inPart} where ${within}`,
  );
  await sql.run("create or replace temp table event as select * from open_here where false");
  await sql.run(`create or replace temp table gone_key as
    select link_id, transaction_id from ${feed} where removed
    union select link_id, transaction_id from open_here`);
  await addChanges("gone_key");
  await addPending(sql, files, within);
  const pending = `select ${FITTED} from event where pending union select ${FITTED} from open_here`;
  await sql.run(`create or replace temp table pending_state as ${pending}`);
  await sql.run(`create or replace temp table posted_state as
    select ${FITTED}, transaction_id from ${feed} where pending = false
      and (link_id, account_id, currency) in (select (link_id, account_id, currency) from pending_state)`);
  await sql.run(`create or replace temp table posted_key as
    select link_id, transaction_id from (${fitting("posted_state", "pending_state", POSTED_AFTER)})
    except select link_id, transaction_id from gone_key`);
  await addChanges("posted_key");
  await addOtherLive(sql, files, within);
  await sql.run(`insert into event by name
    select * from open_here semi join event using (link_id, transaction_id)
    union ${fitting("open_here", "posted_state", PENDING_BEFORE)}`);
  await addDecided(sql, files, within);
  yield* sql.stream(`select ${JUDGED} from event order by link_id, rank, sequence`);
  for (const table of IN_RANGE) await sql.run(`drop table if exists ${table}`);
}

/** Adds the earlier pending states of what is gone. SQL skips row groups only where a column is compared with a value. */
async function addPending(sql: SqlSession, { before }: LineageFiles, within: string): Promise<void> {
  if (before.length === 0) return;
  await sql.run(`insert into event by name
    select 2 as rank, ${CHANGE}, false as inferred, false as removed from ${parquetFiles(before)}
    semi join gone_key using (link_id, transaction_id) where pending = true and ${within}`);
}

/** Adds what else was there of what came, without its state: only that it was there can matter. */
async function addOtherLive(sql: SqlSession, { before }: LineageFiles, within: string): Promise<void> {
  if (before.length === 0) return;
  await sql.run(`create or replace temp table come_key as
    select link_id, transaction_id from event where rank = 3 and not removed
    except select link_id, transaction_id from event where rank = 2`);
  await sql.run(`insert into event by name
    select 2 as rank, link_id, transaction_id, false as removed from ${parquetFiles(before)}
    semi join come_key using (link_id, transaction_id) where ${within}`);
}

/** What the rule needs of an event; `event` has the rest. */
const JUDGED = `link_id, rank, transaction_id, sequence::double as sequence, run_id, generation, removed, account_id,
  currency, type, signed_amount::varchar as signed_amount, (date - date '1970-01-01')::integer as day, pending,
  merchant_id, description, tier, candidate_tier, posted_candidates::double as posted_candidates,
  pending_candidates::double as pending_candidates, candidate_ids, file::double as file`;

/**
 * Gives the join that keeps a part's transactions, those that ever were in one of its accounts; none if the range is whole.
 * One that changes its account is judged in both parts, and each keeps what it decided of its own accounts.
 */
async function partOf(
  sql: SqlSession,
  { before }: LineageFiles,
  range: LinkRange,
  { within, changes }: { readonly within: string; readonly changes: string },
): Promise<string> {
  if (range.parts === 1) return "";
  const key = "link_id, transaction_id";
  const inPart = accountInPart(range);
  const earlier = `union select ${key} from ${parquetFiles(before)} semi join ${changes} using (${key})
    where ${within} and ${inPart}`;
  await sql.run(`create or replace temp table part_key as
    select ${key} from ${changes} where not removed and ${inPart}
    union select ${key} from open_departure where ${within} and ${inPart}
    ${before.length === 0 ? "" : earlier}`);
  return ` semi join part_key using (${key})`;
}

/** The tables of a range that are dropped once it is judged: writing the rows needs the memory. */
const IN_RANGE = [
  "open_here",
  "gone_key",
  "pending_state",
  "posted_state",
  "posted_key",
  "come_key",
  "part_key",
];

/** What decides whether a departure and a posted transaction may fit each other. */
const FITTED = "link_id, account_id, currency, date, signed_amount, merchant_id, description";

const POSTED_AFTER = `one.date between other.date and other.date + ${WINDOW_DAYS}`;
const PENDING_BEFORE = `other.date between one.date and one.date + ${WINDOW_DAYS}`;

/** SQL of the rows of one table that share an amount, a merchant or a description with a row of another in the window. */
function fitting(one: string, other: string, window: string): string {
  return ["signed_amount", "merchant_id", "description"]
    .map(
      (value) => `select one.* from ${one} one semi join ${other} other on one.link_id = other.link_id
        and one.account_id = other.account_id and one.currency = other.currency and one.${value} = other.${value}
        and ${window}`,
    )
    .join(" union ");
}

/** Adds what the table says of the changed transactions: departures of theirs, and which of them departures became. */
async function addDecided(sql: SqlSession, { links }: LineageFiles, within: string): Promise<void> {
  if (links.length === 0) return;
  const decided = `${parquetFiles(links)} where ${within}`;
  await sql.run(`insert into event by name
    select distinct 1 as rank, link_id, transaction_id, account_id, pending, false as removed from (
      select link_id, account_id, pending_transaction_id as transaction_id, true as pending from ${decided}
      union all
      select link_id, account_id, posted_transaction_id, false from ${decided} and posted_transaction_id is not null
    ) semi join (select * from event where rank = 3) using (link_id, transaction_id)`);
}
