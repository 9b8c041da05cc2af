import { durationWords, SECOND } from "../../../domain/duration.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { columnChart } from "../../../pages/charts.js";
import { type Markup, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { linkTo, type Shown } from "../shown.js";

/** Days that a chart has room for, and days of batches that a table has. */
const MOST_DAYS = 12;
const MOST_TIMES = 50;
const MOST_BATCHES = 50;

/** How rows stood at a day's end (UTC). */
interface BurndownDay {
  readonly day: string;
  /** Rows that the service or the customer has yet to bring to an end. */
  readonly open: number;
  /** Rows that a reviewer has yet to decide. */
  readonly review: number;
}

/** How long decisions of a batch took that were made on a day, in seconds. */
interface DecisionTimes {
  readonly batch_id: string;
  readonly day: string;
  readonly decided: number;
  readonly median_s: number;
  readonly p90_s: number;
}

/** A batch as it stands. */
interface BatchLine {
  readonly batch_id: string;
  readonly playbook_key: string | null;
  readonly began_at: string | null;
  readonly started: number;
  readonly pass: number;
  readonly fail: number;
  readonly review: number;
  readonly other: number;
  readonly open: number;
}

export interface Burndown {
  /** The newest days on which something came of rows, the oldest first. */
  readonly days: readonly BurndownDay[];
  /** The newest first. */
  readonly times: Shown<DecisionTimes>;
  /** Batches with outcomes, the newest first. */
  readonly batches: Shown<BatchLine>;
}

/** Reads the burn-down of a batch, or of all, by one statement. @param batchId was checked */
export async function readBurndown(query: LakeQuery, batchId?: string): Promise<Burndown> {
  const its = batchId === undefined ? "" : `where batch_id = '${batchId}'`;
  const sql = `with stood as materialized (select * from batch_burndown ${its}
    ), moves as (
      select day, open - lag(open, 1, 0) over same as opened, review_total - lag(review_total, 1, 0) over same as reviewed
      from stood window same as (partition by batch_id order by day)
    ), days as (
      select day, (sum(sum(opened)) over so_far)::bigint as open, (sum(sum(reviewed)) over so_far)::bigint as review
      from moves group by day window so_far as (order by day) order by day desc limit ${MOST_DAYS}
    ), times as (
      select batch_id, day, decided, median_s, p90_s from stood where decided > 0
      order by day desc, batch_id limit ${MOST_TIMES}
    ), begun as (
      select batch_id, any_value(playbook_key) as playbook_key, min(coalesce(started_at, settled_at)) as began_at
      from onboardings ${its} group by batch_id
    ), batches as (
      select batch_id, playbook_key, began_at, started_total as started, pass_total as pass, fail_total as fail,
        review_total as review, other_total as other, open
      from stood join begun using (batch_id) qualify row_number() over (partition by batch_id order by day desc) = 1
      order by began_at desc nulls last, batch_id limit ${MOST_BATCHES}
    )
    select (select list(d order by d.day) from days as d) as days,
      (select list(t order by t.day desc, t.batch_id) from times as t) as times,
      (select list(b order by b.began_at desc nulls last, b.batch_id) from batches as b) as batches,
      count(*) filter (decided > 0) as times_total, count(distinct batch_id) as batches_total
    from stood`;
  const [row] = await rowsOf<BurndownRow>(query, sql);
  return {
    days: row?.days ?? [],
    times: { total: row?.times_total ?? 0, rows: row?.times ?? [] },
    batches: { total: row?.batches_total ?? 0, rows: row?.batches ?? [] },
  };
}

interface BurndownRow {
  readonly days: readonly BurndownDay[] | null;
  readonly times: readonly DecisionTimes[] | null;
  readonly batches: readonly BatchLine[] | null;
  readonly times_total: number;
  readonly batches_total: number;
}

export function burndownChart({ days }: Burndown): Markup {
  return {
    html: columnChart({
      ...{
        id: "burn-down",
        title: "Rows without a decision at the end of each day (UTC) on which something changed",
      },
      series: [
        { tone: "a", label: "wait for the service or the customer" },
        { tone: "c", label: "wait for a reviewer" },
      ],
      bars: days.map(({ day, open, review }) => ({ label: day.slice(5), values: [open, review] })),
    }),
  };
}

export function decisionTimes({ times }: Burndown): Markup {
  const columns = [
    ...[{ name: "Day (UTC)" }, { name: "Batch" }],
    ...["Decisions", "Median", "90 % within"].map((name) => ({ name, isCount: true })),
  ];
  const rows = times.rows.map(({ day, batch_id, decided, median_s, p90_s }) => [
    day,
    linkTo("onboarding", batch_id),
    decided,
    durationWords(median_s * SECOND),
    durationWords(p90_s * SECOND),
  ]);
  return table("Time from a row's beginning to its decision", columns, rows, "Nothing was decided yet.");
}
