import type { SyncNights } from "../../../domain/runs/forecast.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { listOf, listsOf, rowsOf } from "../../lake/query.js";

/** Days whose readings say what the next one costs: five of each weekday. */
const LEARNT_DAYS = 35;
/** Readings of a link that are its usual ones. */
const USUAL = 7;
/** Nights that are compared with each other; fewer say nothing of how far a night may be off. */
const NIGHTS = 10;
const FEWEST_NIGHTS = 3;

const READ = "status in ('synced', 'unchanged', 'superseded')";

/** A link as its readings say; `usual` and `on_weekday` are pages of later readings on average. */
export interface LinkReadings {
  readonly fp_id: string;
  readonly link_id: string;
  readonly skipped: string | null;
  readonly first_pages: number | null;
  readonly usual: number | null;
  /** On the weekday of today, of at least two other days. */
  readonly on_weekday: number | null;
  readonly rows_a_day: number | null;
  readonly days_behind: number | null;
  readonly gone: boolean;
}

/**
 * Each link with what its readings cost. A night on which nothing came counts as any other; it only has no certificate.
 * The newest row says how the link stands now.
 */
const LINKS = `with readings as (
    select fp_id, link_id, pages, created + updated + removed as changed, finished_at::date as day, finished_at,
      row_number() over (partition by fp_id, link_id order by finished_at desc) as place
    from link_syncs where ${READ} and cursor_in is not null and finished_at > now() - interval ${LEARNT_DAYS} days
  ), costs as (
    select fp_id, link_id, avg(pages) filter (place <= ${USUAL}) as usual,
      if(count(distinct day) filter (isodow(day) = isodow(today()) and day < today()) < 2, null,
        avg(pages) filter (isodow(day) = isodow(today()) and day < today())) as on_weekday,
      sum(changed) / greatest(1, date_diff('day', min(day), max(day)) + 1) as rows_a_day
    from readings group by fp_id, link_id
  ), states as (
    select fp_id, link_id,
      case when arg_max(status, finished_at) = 'skipped' then coalesce(arg_max(reason, finished_at), '') end as skipped,
      arg_max(pages, finished_at) filter (certificate is not null and cursor_in is null) as first_pages,
      epoch_ms(now()) - epoch_ms(max(finished_at) filter (${READ})) as behind_ms,
      coalesce(arg_max(reason, finished_at), '') in ('link_gone', 'superseded') as gone
    from link_syncs group by fp_id, link_id
  )
  select fp_id, link_id, skipped, first_pages, usual, on_weekday, rows_a_day, behind_ms / 86400000 as days_behind, gone
  from states left join costs using (fp_id, link_id)`;

interface ReturnRate {
  readonly reason: string;
  readonly rate: number;
}

interface Arrivals {
  readonly arrivals: number | null;
}

interface Spread {
  readonly nights: number;
  readonly lists: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Reads what the nights before say of the next one, of runs that read the same streams for about as many users. */
export async function syncNights(
  query: LakeQuery,
  { users, streams }: { readonly users: number; readonly streams: readonly string[] },
): Promise<SyncNights & { readonly links: readonly LinkReadings[] }> {
  const own = comparable(users, streams);
  const links = await rowsOf<LinkReadings>(query, LINKS);
  const { returns, arrivals, spread } = await listsOf(query, {
    returns: listOf<ReturnRate>(`select before as reason, avg(if(${READ}, 1, 0)) as rate from (
        select status, lag(status) over same as was, coalesce(lag(reason) over same, '') as before
        from link_syncs where finished_at > now() - interval ${LEARNT_DAYS} days
        window same as (partition by fp_id, link_id order by finished_at)
      ) where was = 'skipped' group by before`),
    arrivals: listOf<Arrivals>(`with firsts as (
        select fp_id, link_id, arg_min(run_id, finished_at) as run_id, min(finished_at) as first_at from link_syncs group by all
      ), users as (select fp_id, arg_min(run_id, first_at) as first_run from firsts group by fp_id)
      select count(*) filter (first_at > now() - interval ${LEARNT_DAYS} days and firsts.run_id <> first_run)
        / nullif((select count(*) from runs where ${own} and started_at > now() - interval ${LEARNT_DAYS} days), 0) as arrivals
      from firsts join users using (fp_id)`),
    spread: listOf<Spread>(`select count(*) as nights, median(residual) as lists,
        quantile_cont(each, 0.1) / median(each) as low, quantile_cont(each, 0.9) / median(each) as high
      from (
        select (calls - pages) / users as residual, calls / users as each from runs
        where ${own} and started_at > (select min(started_at) from runs where ${own}) order by started_at desc limit ${NIGHTS}
      )`),
  });
  const { nights = 0, lists = null, low = null, high = null } = spread[0] ?? {};
  const isTold = nights >= FEWEST_NIGHTS && low !== null && high !== null;
  return {
    links,
    lists,
    returns: Object.fromEntries(returns.map(({ reason, rate }) => [reason, rate])),
    arrivals: arrivals[0]?.arrivals ?? 0,
    spread: isTold ? [Math.min(1, low), Math.max(1, high)] : null,
  };
}

/** SQL of the runs that say something of this one: others, such as those that webhooks ask for, are of few users, and a full one has every page again. */
function comparable(users: number, streams: readonly string[]): string {
  return `kind = 'sync' and status in ('completed', 'completed_with_failures') and calls > 0
    and runs.users * 2 >= ${Math.round(users)} and (options::json ->> '$.full') = 'false'
    and list_sort((options::json -> '$.streams')::varchar[]) = [${[...streams].sort().map(sqlText).join(", ")}]`;
}
