import {
  addBulkTotals,
  type BulkTotals,
  noBulkTotals,
  sumOfTotals,
  totalsOf,
} from "../../domain/bulk/bulk-totals.js";
import type { BulkDependencies } from "./dependencies.js";
import { type BulkGroup, openGroup } from "./open-group.js";

/** Plans the rows of a group, once: which are worked on together, and which need no work, with the totals of those. */
export async function planItems(
  deps: BulkDependencies,
  input: BulkGroup,
): Promise<{ readonly items: number; readonly totals: BulkTotals }> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const invalid = group.rows.filter(({ row }) => row === null).length;
  const counted = { ...noBulkTotals().rows, total: group.rows.length, invalid };
  const planned = (items: number, totals: BulkTotals) => {
    return { items, totals: addBulkTotals({ ...noBulkTotals(), rows: counted }, totals) };
  };
  // An earlier run of the job closed it: the tables have its rows as that run left them.
  const close = job.effect ? await staging.close(input.group).find() : undefined;
  if (close !== undefined) {
    const items = await group.closedItems(close);
    const done = sumOfTotals(items.filter(({ isDone }) => isDone).map(({ totals }) => totals));
    const left = group.notBegun(items).map(({ line }) => {
      return { line, status: "failed", reason: "not_begun" } as const;
    });
    return planned(0, addBulkTotals(done, totalsOf(left, group.nameOf)));
  }
  const plan = await group.plan();
  return planned(plan.work.length, group.totalsOf(group.skipped(plan)));
}
