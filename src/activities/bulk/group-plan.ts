import { addBulkTotals, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { FrozenBulkRow, RowEnd } from "../../domain/bulk/frozen-row.js";
import type { AnyJob, JobPlace, JobRow, PlannedItem } from "../../jobs/job.js";
import type { StagedPlan } from "../../lake/bulk/bulk-staging.js";
import { type BulkDependencies, type BulkGroup, jobOf, stagingOf } from "./dependencies.js";

/** What became of the rows of an item that came to its end. */
export function endsOf(job: AnyJob, { rows }: PlannedItem<object>, result: unknown): readonly RowEnd[] {
  return job.ends({ rows, result, reason: null, asked: 0 });
}

/** The items of a group, by the lines of their rows. */
export function itemsOf(rows: readonly FrozenBulkRow[]): (lines: readonly number[]) => PlannedItem<object> {
  const byLine = new Map(rows.map(({ line, row }) => [line, row]));
  return (lines) => ({
    rows: lines.flatMap((line) => {
      const row = byLine.get(line);
      return row === undefined || row === null ? [] : [{ line, row }];
    }),
  });
}

/** The rows of a group, wrong ones among them. */
export async function groupRows(deps: BulkDependencies, input: BulkGroup): Promise<FrozenBulkRow[]> {
  const { groupRows: size } = jobOf(deps, input);
  return stagingOf(deps, input).rows(input.group * size, (input.group + 1) * size);
}

/** What a kind's own functions are given. */
export async function placeOf(
  deps: BulkDependencies,
  input: BulkGroup | Omit<BulkGroup, "group">,
): Promise<JobPlace> {
  const { options } = await stagingOf(deps, input).file();
  return { runId: input.runId, lake: deps.lake, sealer: deps.sealed.sealer, options };
}

/** Counts of rows that have come to an end. */
export function totalsOf(ends: readonly RowEnd[], owner: (line: number) => string): BulkTotals {
  const rows = { ...noBulkTotals().rows };
  for (const { status } of ends) rows[status] += 1;
  const failures = failedRows(ends, owner);
  return addBulkTotals(noBulkTotals(), { rows, calls: 0, failures, failures_total: failures.length });
}

/** The rows that failed. */
export function failedRows(
  ends: readonly RowEnd[],
  owner: (line: number) => string,
): BulkTotals["failures"][number][] {
  return ends
    .filter(({ status }) => status === "failed")
    .map(({ line, reason }) => ({ line, owner: owner(line), reason: reason ?? "" }));
}

/** Whose row a line holds. */
export function ownersOf(job: AnyJob, rows: readonly FrozenBulkRow[]): (line: number) => string {
  const owners = new Map(rows.map(({ line, row }) => [line, row === null ? "" : job.owner(row as object)]));
  return (line) => owners.get(line) ?? "";
}

/** Plans the rows of a group; what was kept first. */
export async function makePlan(
  deps: BulkDependencies,
  input: BulkGroup,
  rows: readonly FrozenBulkRow[],
): Promise<StagedPlan> {
  const job = jobOf(deps, input);
  const carried = rows.filter(({ result }) => result !== undefined);
  const right = rows.flatMap(({ line, row, result }): JobRow<object>[] =>
    row === null || result !== undefined ? [] : [{ line, row }],
  );
  const { work, ended } = (await job.plan?.(await placeOf(deps, input), right)) ?? {
    work: right.map((row) => ({ rows: [row] })),
    ended: [],
  };
  const linesOf = (item: PlannedItem<object>) => item.rows.map(({ line }) => line);
  return stagingOf(deps, input).keepPlan(input.group, {
    work: work.map(linesOf),
    ended: [
      ...ended.map((item) => ({ lines: linesOf(item), result: item.result })),
      ...carried.map(({ line, result }) => ({ lines: [line], result })),
    ],
  });
}
