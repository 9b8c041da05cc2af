import { addBulkTotals, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { RowEnd } from "../../domain/bulk/frozen-row.js";
import { withHeartbeat } from "../heartbeat.js";
import { type BulkDependencies, type BulkGroup, jobOf, stagingOf } from "./dependencies.js";
import { endedItems, notBegun } from "./ended-items.js";
import { endsOf, groupRows, itemsOf, makePlan, ownersOf, totalsOf } from "./group-plan.js";

interface PlanItemsResult {
  readonly items: number;
  /** Of rows that need no work. */
  readonly totals: BulkTotals;
}

/** Plans the rows of a group, once: which are worked on together, and which need no work. */
export async function planItems(deps: BulkDependencies, input: BulkGroup): Promise<PlanItemsResult> {
  return withHeartbeat(async () => {
    const rows = await groupRows(deps, input);
    const job = jobOf(deps, input);
    const staging = stagingOf(deps, input);
    const invalid = rows.filter(({ row }) => row === null).length;
    const counted = { ...noBulkTotals(), rows: { ...noBulkTotals().rows, total: rows.length, invalid } };
    const planned = (items: number, ends: readonly RowEnd[]) => {
      return { items, totals: addBulkTotals(counted, totalsOf(ends, ownersOf(job, rows))) };
    };
    // Closed by an earlier run of the job: its rows are in the tables as that run left them.
    const close = job.effect ? await staging.findClose(input.group) : undefined;
    if (close !== undefined) {
      const { items } = await endedItems(deps, input, close);
      const done = items.filter(({ result }) => result !== null);
      const left = notBegun(items, rows).map(
        ({ line }): RowEnd => ({ line, status: "failed", reason: "not_begun" }),
      );
      return planned(0, [...done.flatMap((item) => job.ends(item)), ...left]);
    }
    const plan = (await staging.plan(input.group)) ?? (await makePlan(deps, input, rows));
    const itemOf = itemsOf(rows);
    return planned(
      plan.work.length,
      plan.ended.flatMap(({ lines, result }) => endsOf(job, itemOf(lines), result)),
    );
  });
}
