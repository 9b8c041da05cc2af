import { durationWords, SECOND } from "../../../domain/duration.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { columnChart } from "../../../pages/charts.js";
import { link, type Markup, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";

/** Days that a chart has room for, and days of batches that a table has. */
const MOST_DAYS = 12;
const MOST_TIMES = 50;

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

export interface Burndown {
  /** The newest days on which something came of rows, the oldest first. */
  readonly days: readonly BurndownDay[];
  readonly times: { readonly total: number; readonly rows: readonly DecisionTimes[] };
}

/** Reads the burn-down of a batch, or of all. @param batchId was checked */
export async function readBurndown(query: LakeQuery, batchId?: string): Promise<Burndown> {
  const rows = `(select * from batch_burndown ${batchId === undefined ? "" : `where batch_id = '${batchId}'`})`;
  const days = await rowsOf<BurndownDay>(
    query,
    `select day, (sum(opened) over so_far)::bigint as open, (sum(reviewed) over so_far)::bigint as review from (
        select day, sum(opened) as opened, sum(reviewed) as reviewed from (
          select day, open - lag(open, 1, 0) over same as opened, review_total - lag(review_total, 1, 0) over same as reviewed
          from ${rows} window same as (partition by batch_id order by day)
        ) group by day
      ) window so_far as (order by day) order by day desc limit ${MOST_DAYS}`,
  );
  const times = await rowsOf<DecisionTimes & { readonly total: number }>(
    query,
    `select batch_id, day, decided, median_s, p90_s, count(*) over () as total from ${rows}
      where decided > 0 order by day desc, batch_id limit ${MOST_TIMES}`,
  );
  return {
    days: days.toReversed(),
    times: { total: times[0]?.total ?? 0, rows: times.map(({ total: _, ...row }) => row) },
  };
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
    link(`/onboarding/${encodeURIComponent(batch_id)}`, batch_id),
    decided,
    durationWords(median_s * SECOND),
    durationWords(p90_s * SECOND),
  ]);
  return table("Time from a row's beginning to its decision", columns, rows, "Nothing was decided yet.");
}
