import type { SyncNights } from "../../../domain/runs/forecast.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { listOf, listsOf } from "../../lake/query.js";

/** Days whose readings say what the next one costs: five of each weekday. */
const LEARNT_DAYS = 35;
/** Readings of a link that are its usual ones. */
const USUAL = 7;
/** Days of a weekday that say what it usually is: of two, one with much news would be half. */
const FEWEST_WEEKDAYS = 3;
/** Nights that are compared with each other. */
const NIGHTS = 10;

const IS_FULL = "((options::json ->> '$.full') = 'true')";
const READ = "status in ('synced', 'unchanged', 'superseded')";

/** SQL of the bytes of answers that a call brought; null where no run counted any. @param calls of a run */
export function bytesEach(calls: string): string {
  return `sum(answer_bytes) / sum(${calls}) filter (answer_bytes is not null)`;
}

/** A link as its readings say; its pages are those that the same rows take at the size that is asked for. */
export interface LinkReadings {
  readonly fp_id: string;
  readonly link_id: string;
  readonly skipped: string | null;
  readonly first_pages: number | null;
  /** Of all that was delivered since its beginning was read last. */
  readonly full_pages: number | null;
  /** Of later readings, the median. */
  readonly usual: number | null;
  /** On the weekday of today, of at least three other days, the median. */
  readonly on_weekday: number | null;
  readonly rows_a_day: number | null;
  readonly days_behind: number | null;
  readonly gone: boolean;
}

/**
 * SQL of `link_syncs` with `at_size`: as many pages as the reading took, and as many more or fewer as its rows need at
 * another size. So pages that no row explains, such as empty ones, count at every size.
 */
function sized(pageSize: number): string {
  return `sized as (
    select *, greatest(1, pages + ${pagesFor("rows", pageSize)} - ${pagesFor("rows", "size")}) as at_size from (
      select s.*, coalesce(created, 0) + coalesce(updated, 0) + coalesce(removed, 0) + coalesce(quarantined, 0) as rows,
        coalesce(try_cast(options::json ->> '$.pageSize' as bigint), ${pageSize}) as size
      from link_syncs as s left join (select run_id, any_value(options) as options from runs where kind = 'sync' group by all) using (run_id)
    )
  )`;
}

function pagesFor(rows: string, size: number | string): string {
  return `greatest(1, ceil((${rows}) / ${size})::bigint)`;
}

/**
 * Each link with what its readings cost. A night on which nothing came counts as any other; it only has no certificate.
 * The newest row says how the link stands now. What is read in full is told from the link's beginning on: also what was
 * updated and removed later.
 */
function linksSql(pageSize: number): string {
  return `with ${sized(pageSize)}, readings as (
    select fp_id, link_id, at_size, created + updated + removed as changed, finished_at::date as day, finished_at,
      row_number() over (partition by fp_id, link_id order by finished_at desc) as place
    from sized where ${READ} and cursor_in is not null and finished_at > now() - interval ${LEARNT_DAYS} days
  ), costs as (
    select fp_id, link_id, median(at_size) filter (place <= ${USUAL}) as usual,
      if(count(distinct day) filter (isodow(day) = isodow(today()) and day < today()) < ${FEWEST_WEEKDAYS}, null,
        median(at_size) filter (isodow(day) = isodow(today()) and day < today())) as on_weekday,
      sum(changed) / greatest(1, date_diff('day', min(day), max(day)) + 1) as rows_a_day
    from readings group by fp_id, link_id
  ), begun as (
    select fp_id, link_id, max(finished_at) as begun_at from sized
    where certificate is not null and cursor_in is null group by fp_id, link_id
  ), wholes as (
    select fp_id, link_id, arg_min(at_size, finished_at) as first_pages,
      arg_min(at_size - ${pagesFor("rows", pageSize)}, finished_at) + ${pagesFor("sum(rows)", pageSize)} as full_pages
    from sized join begun using (fp_id, link_id) where ${READ} and finished_at >= begun_at group by fp_id, link_id
  ), states as (
    select fp_id, link_id,
      case when arg_max(status, finished_at) = 'skipped' then coalesce(arg_max(reason, finished_at), '') end as skipped,
      epoch_ms(now()) - epoch_ms(max(finished_at) filter (${READ})) as behind_ms,
      coalesce(arg_max(reason, finished_at), '') in ('link_gone', 'superseded') as gone
    from link_syncs group by fp_id, link_id
  )
  select fp_id, link_id, skipped, first_pages, full_pages, usual, on_weekday, rows_a_day, behind_ms / 86400000 as days_behind, gone
  from states left join costs using (fp_id, link_id) left join wholes using (fp_id, link_id)`;
}

interface ReturnRate {
  readonly reason: string;
  readonly rate: number;
}

interface Nights {
  readonly nights: number;
  readonly lists: number | null;
  readonly least: number | null;
  readonly most: number | null;
  readonly arrivals: number | null;
  readonly bytes: number | null;
}

/** What is asked for of a sync, as far as other nights have to be like it. */
interface Asked {
  readonly users: number;
  readonly streams: readonly string[];
  readonly links: readonly string[] | null;
  readonly pageSize: number;
}

/** Reads what the nights before say of the next one, of runs that read the same streams for about as many users. */
export async function syncNights(
  query: LakeQuery,
  asked: Asked,
): Promise<
  Omit<SyncNights, "lists"> & { readonly lists: number | null; readonly links: readonly LinkReadings[] }
> {
  const own = `${comparable(asked)} and not ${IS_FULL}`;
  const links = await rowsOf<LinkReadings>(query, linksSql(asked.pageSize));
  const { returns, told, whole } = await listsOf(
    query,
    {
      returns: listOf<ReturnRate>(`select before as reason, avg(if(${READ}, 1, 0)) as rate from (
        select status, lag(status) over same as was, coalesce(lag(reason) over same, '') as before
        from link_syncs where finished_at > now() - interval ${LEARNT_DAYS} days
        window same as (partition by fp_id, link_id order by finished_at)
      ) where was = 'skipped' group by before`),
      told: listOf<Nights>(`select count(*) as nights, median((calls - pages) / users) as lists,
        min((calls + coalesce(more, 0)) / users) as least, max((calls + coalesce(more, 0)) / users) as most,
        median(coalesce(arrived, 0)) as arrivals,
        ${bytesEach("calls + coalesce(more, 0)")} as bytes
      from nights
        left join (select run_id, sum(at_size - pages) as more from sized where ${READ} group by run_id) using (run_id)
        left join (select run_id, count(*) as arrived from firsts join owners using (fp_id) where run_id <> first_run group by run_id)
          using (run_id)`),
      whole: listOf<Pick<Nights, "bytes">>(
        `select ${bytesEach("calls")} as bytes from runs
          where ${comparable(asked)} and (${IS_FULL} or started_at = (select min(started_at) from runs where ${own}))`,
      ),
    },
    `with ${sized(asked.pageSize)}, nights as (
      select run_id, calls, pages, answer_bytes, runs.users as users from runs
      where ${own} and started_at > (select min(started_at) from runs where ${own}) order by started_at desc limit ${NIGHTS}
    ), firsts as (
      select fp_id, link_id, arg_min(run_id, finished_at) as run_id, min(finished_at) as first_at from link_syncs group by all
    ), owners as (select fp_id, arg_min(run_id, first_at) as first_run from firsts group by fp_id)`,
  );
  const {
    nights = 0,
    lists = null,
    least = null,
    most = null,
    arrivals = null,
    bytes = null,
  } = told[0] ?? {};
  return {
    links,
    lists,
    returns: Object.fromEntries(returns.map(({ reason, rate }) => [reason, rate])),
    arrivals: arrivals ?? 0,
    bytesEach: { later: bytes, whole: whole[0]?.bytes ?? null },
    spread: { nights, each: least === null || most === null ? null : [least, most] },
  };
}

/**
 * SQL of the runs that say something of this one: others, such as those that webhooks ask for, are of few users or named
 * links. A full one among them has every page again.
 */
function comparable({ users, streams, links }: Asked): string {
  if (links !== null) return "false";
  return `kind = 'sync' and status in ('completed', 'completed_with_failures') and calls > 0
    and runs.users * 2 >= ${Math.round(users)} and (options::json ->> '$.links') is null
    and list_sort((options::json -> '$.streams')::varchar[]) = [${[...streams].sort().map(sqlText).join(", ")}]`;
}
