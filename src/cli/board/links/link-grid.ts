import type { LakeQuery } from "../../../lake/query/query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { rowsOf } from "../../lake/query.js";
import type { NightState } from "./night-strip.js";

/** Days (UTC) that the grid shows. */
const NIGHTS = 30;
/** Links that it shows. */
const MOST_LINKS = 100;

export const TURNS = ["customer", "bank", "service", "us"] as const;
export type Turn = (typeof TURNS)[number];

/** A day on which a run found the link. */
interface LinkNight {
  readonly day: string;
  readonly state: Exclude<NightState, "none">;
  /** Rows that were created, updated or removed. */
  readonly changed: number;
  /** Why nothing was committed; null where something was. */
  readonly reason: string | null;
}

/** A link as `link_freshness` has it, and the days of the grid on which a run found it. */
export interface GridLink {
  readonly link_id: string;
  readonly fp_id: string;
  readonly institution_name: string | null;
  readonly committed_at: string | null;
  readonly age_s: number;
  readonly turn: Turn | null;
  readonly last_status: string;
  readonly last_reason: string | null;
  readonly nights: readonly LinkNight[];
}

export interface GridFilter {
  readonly turn: string | undefined;
  /** What the id of the link or of its user contains. */
  readonly text: string | undefined;
}

export interface LinkGrid {
  /** The oldest first. */
  readonly days: readonly string[];
  /** Links that a run found on one of these days. */
  readonly total: number;
  /** Of them, by whose turn it is. */
  readonly turns: Readonly<Record<Turn, number>>;
  /** Links that were last found before. */
  readonly older: number;
  /** Of `total`, those that match the filter. */
  readonly matching: number;
  /** The first of those, the longest without a commit on top; those with a commit in their last run are last. */
  readonly links: readonly GridLink[];
}

type GridRow = Omit<LinkGrid, "turns"> & Readonly<Record<Turn, number>>;

/** Reads the grid by one statement. */
export async function readGrid(query: LakeQuery, { turn, text }: GridFilter): Promise<LinkGrid> {
  const conditions = [
    ...(turn === undefined ? [] : [`turn = ${sqlText(turn)}`]),
    ...(text === undefined
      ? []
      : [
          `(contains(lower(link_id), lower(${sqlText(text)})) or contains(lower(fp_id), lower(${sqlText(text)})))`,
        ]),
  ];
  const order = "turn is null, age_s desc, link_id";
  const sql = `with days as (
      select unnest(range(current_date - ${NIGHTS - 1}, current_date + 1, interval 1 day))::date as day
    ), fresh as materialized (
      select *, last_at::date >= (select min(day) from days) as is_read from link_freshness
    ), matching as (
      select * from fresh where ${["is_read", ...conditions].join(" and ")}
    ), shown as materialized (select * from matching order by ${order} limit ${MOST_LINKS}
    ), nights as (
      select link_id, finished_at::date as day,
        case when bool_or(status = 'synced') then 'news'
          when bool_or(status in ('unchanged', 'superseded')) then 'unchanged'
          when arg_max(status, (finished_at, run_id)) = 'failed' then 'failed' else 'skipped' end as state,
        sum(coalesce(created, 0) + coalesce(updated, 0) + coalesce(removed, 0))::bigint as changed,
        if(state in ('news', 'unchanged'), null, arg_max(reason, (finished_at, run_id))) as reason
      from link_syncs semi join shown using (link_id)
      where finished_at::date >= (select min(day) from days) group by link_id, day
    ), cells as (
      select link_id, list(struct_pack(day, state, changed, reason) order by day) as nights from nights group by link_id
    )
    select (select list(day::varchar order by day) from days) as days, count(*) filter (is_read) as total,
      ${TURNS.map((name) => `count(*) filter (is_read and turn = '${name}') as "${name}"`).join(", ")},
      count(*) filter (not is_read) as older, (select count(*) from matching) as matching,
      coalesce((select list(struct_pack(link_id, fp_id, institution_name, committed_at, age_s, turn, last_status,
        last_reason, nights := cells.nights) order by ${order}) from shown join cells using (link_id)), []) as links
    from fresh`;
  const [row] = await rowsOf<GridRow>(query, sql);
  const {
    days = [],
    total = 0,
    older = 0,
    matching = 0,
    links = [],
    ...turns
  } = row ?? ({} as Partial<GridRow>);
  const { customer = 0, bank = 0, service = 0, us = 0 } = turns;
  return { days, total, turns: { customer, bank, service, us }, older, matching, links };
}
