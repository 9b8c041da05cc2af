import { cancellationSignal } from "@temporalio/activity";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { ClosedGroup } from "../../jobs/job.js";
import { assertWritable } from "../../lake/delta/delta-protocol.js";
import { VERSION } from "../../version.js";
import { writeGroup } from "./close-group.js";
import { type BulkDependencies, openRun } from "./dependencies.js";
import { failOthers } from "./fail-others.js";
import { openGroup } from "./open-group.js";

interface PublishRunInput extends BulkRun {
  readonly groups: number;
  readonly startedAt: string;
}

interface PublishedRun {
  /** What its kind reports in the summary. */
  readonly told: Readonly<Record<string, unknown>>;
  /** What changes in the totals, now that the whole run was seen. */
  readonly totals: BulkTotals;
}

/** Publishes a run as a whole, then writes its rows to the tables. */
export async function publishRun(
  deps: BulkDependencies,
  { groups, startedAt, ...run }: PublishRunInput,
): Promise<PublishedRun> {
  const opened = openRun(deps, run);
  const { job, staging, context } = opened;
  const { asker, secrets, retryOf } = await staging.file.require();
  const open = async (number: number) => ({
    group: await openGroup(deps, { ...run, group: number }),
    close: await staging.closed(number),
  });
  async function* everyGroup() {
    for (let number = 0; number < groups; number += 1) yield await open(number);
  }
  async function* closed(): AsyncGenerator<ClosedGroup<object, unknown>> {
    for await (const { group, close } of everyGroup()) {
      const invalid = group.rows.filter(({ row }) => row === null);
      yield { items: await group.allEnded(close), invalid };
    }
  }
  // Publishing can't be undone, so check first that every table can be written.
  for (const { name } of job.tables) assertWritable(name, await deps.lake.table(name).snapshot());
  const totals = await failOthers(deps, opened, run.runId, everyGroup);
  const signal = cancellationSignal();
  const given = { ...(await context()), asker, secrets, retryOf, startedAt, version: VERSION, signal };
  const told = await job.publish?.({ ...given, groups: closed });
  for await (const one of everyGroup()) await writeGroup(deps, { ...run, group: one.group.number }, one);
  return { told: told ?? {}, totals };
}
