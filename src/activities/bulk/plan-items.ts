import { addBulkTotals, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { RowEnd } from "../../domain/bulk/frozen-row.js";
import type { BulkDependencies } from "./dependencies.js";
import { type BulkGroup, endsOf, openGroup } from "./open-group.js";

/** Plans the rows of a group, once: which are worked on together, and which need no work, with the totals of those. */
export async function planItems(
  deps: BulkDependencies,
  input: BulkGroup,
): Promise<{ readonly items: number; readonly totals: BulkTotals }> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const invalid = group.rows.filter(({ row }) => row === null).length;
  const counted = { ...noBulkTotals().rows, total: group.rows.length, invalid };
  const planned = (items: number, ends: readonly RowEnd[]) => {
    return { items, totals: addBulkTotals({ ...noBulkTotals(), rows: counted }, group.totalsOf(ends)) };
  };
  // An earlier run of the job closed it: the tables have its rows as that run left them.
  const close = job.effect ? await staging.close(input.group).find() : undefined;
  if (close !== undefined) {
    const items = await group.ended(close);
    const done = items.filter(({ result }) => result !== null).flatMap((item) => endsOf(job, item));
    const left = group.notBegun(items).map(({ line }) => {
      return { line, status: "failed", reason: "not_begun" } as const;
    });
    return planned(0, [...done, ...left]);
  }
  const plan = await group.plan();
  const ends = group.skipped(plan).flatMap((item) => endsOf(job, item));
  return planned(plan.work.length, ends);
}
