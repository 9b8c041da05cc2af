import { cancellationSignal } from "@temporalio/activity";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { ClosedGroup } from "../../jobs/job.js";
import { assertWritable } from "../../lake/delta/delta-protocol.js";
import { VERSION } from "../../version.js";
import { writeGroup } from "./close-group.js";
import { type BulkDependencies, openRun } from "./dependencies.js";
import { openGroup } from "./open-group.js";

interface PublishRunInput extends BulkRun {
  readonly groups: number;
  readonly startedAt: string;
}

/** Publishes a run as a whole, then writes its rows to the tables. Returns what its kind reports in the summary. */
export async function publishRun(
  deps: BulkDependencies,
  { groups, startedAt, ...run }: PublishRunInput,
): Promise<Readonly<Record<string, unknown>>> {
  const { job, staging, context } = openRun(deps, run);
  const { asker, secrets, retryOf } = await staging.file.require();
  const open = async (number: number) => ({
    group: await openGroup(deps, { ...run, group: number }),
    close: await staging.close(number).require(),
  });
  async function* closed(): AsyncGenerator<ClosedGroup<object, unknown>> {
    for (let number = 0; number < groups; number += 1) {
      const { group, close } = await open(number);
      const invalid = group.rows.filter(({ row }) => row === null);
      yield { items: await group.allEnded(close), invalid };
    }
  }
  // Publishing can't be undone, so check first that every table can be written.
  for (const { name } of job.tables) assertWritable(name, await deps.lake.table(name).snapshot());
  const signal = cancellationSignal();
  const given = { ...(await context()), asker, secrets, retryOf, startedAt, version: VERSION, signal };
  const told = await job.publish?.({ ...given, groups: closed });
  for (let group = 0; group < groups; group += 1) {
    await writeGroup(deps, { ...run, group }, await open(group));
  }
  return told ?? {};
}
