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
  const open = async (group: number): Promise<ClosedGroup<object, unknown>> => {
    const opened = await openGroup(deps, { ...run, group });
    const items = await opened.ended(await staging.close(group).require());
    return { items, invalid: opened.rows.filter(({ row }) => row === null) };
  };
  async function* closed() {
    for (let group = 0; group < groups; group += 1) yield await open(group);
  }
  // Publishing can't be undone, so check first that every table can be written.
  for (const { name } of job.tables) assertWritable(name, await deps.lake.table(name).snapshot());
  const signal = cancellationSignal();
  const given = { ...(await context()), asker, secrets, retryOf, startedAt, version: VERSION, signal };
  const told = await job.publish?.({ ...given, groups: closed });
  for (let group = 0; group < groups; group += 1) {
    await writeGroup(deps, { ...run, group }, (await open(group)).items);
  }
  return told ?? {};
}
