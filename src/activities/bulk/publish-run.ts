import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import { type BulkTotals, failuresOf, sumOfTotals } from "../../domain/bulk/bulk-totals.js";
import type { ClosedGroup } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { VERSION } from "../../version.js";
import { recordFailures } from "../run-row.js";
import { writeGroup } from "./close-group.js";
import { type BulkDependencies, type OpenGroup, openGroup, openRun } from "./open-group.js";

interface PublishRunInput extends BulkRun {
  readonly groups: number;
  readonly startedAt: string;
}

interface PublishedRun {
  /** What its kind reports in the summary. */
  readonly told: Readonly<Record<string, unknown>>;
  /** Totals of the items that the whole run refutes: they failed, and were counted as done. */
  readonly totals: BulkTotals;
}

/** Publishes what the kind of a run publishes, then writes the run's rows to the tables. */
export async function publishRun(
  deps: BulkDependencies,
  { groups, startedAt, ...run }: PublishRunInput,
): Promise<PublishedRun> {
  const { job, staging, context } = openRun(deps, run);
  const { asker, secrets, retryOf } = await staging.file.require();
  async function* everyGroup() {
    for (let number = 0; number < groups; number += 1) yield await openGroup(deps, { ...run, group: number });
  }
  // As they were closed: a second attempt finds the same items refuted.
  async function* closed(): AsyncGenerator<ClosedGroup<object, unknown>> {
    for await (const group of everyGroup()) {
      const items = await group.allEnded(await staging.close(group.number).require());
      yield { number: group.number, items, invalid: group.rows.filter(({ row }) => row === null) };
    }
  }
  // Publishing can't be undone, so check first that every table can be written.
  for (const { name } of job.tables) await deps.lake.table(name).writableSnapshot();
  const whole = { ...(await context()), asker, secrets, retryOf, startedAt, version: VERSION };
  const { told = {}, refuted = [] } = (await job.publish?.({ ...whole, groups: closed })) ?? {};
  await staging.refuted.putIfAbsent(refuted);
  const parts: BulkTotals[] = [];
  for await (const group of everyGroup()) {
    const close = await staging.closed(group.number);
    const own = refuted.filter((one) => one.group === group.number);
    if (own.length > 0)
      parts.push(
        await failItems(
          deps,
          run.runId,
          { group, close },
          own.map(({ item }) => item),
        ),
      );
    await writeGroup(deps, { ...run, group: group.number }, { group, close });
  }
  return { told, totals: sumOfTotals(parts) };
}

/** Records that items of a group have failed; gives their totals. */
async function failItems(
  { lake }: BulkDependencies,
  runId: string,
  { group, close }: { readonly group: OpenGroup; readonly close: StagedClose },
  numbers: readonly number[],
): Promise<BulkTotals> {
  const items = (await group.closedItems(close)).filter(({ number }) => numbers.includes(number));
  const ends = items.flatMap((item) => item.ends);
  await recordFailures(lake, { runId, part: `g${group.number}/refuted` }, failuresOf(ends, group.ownerOf));
  return sumOfTotals(items.map(({ totals }) => totals));
}
