import { type BulkTotals, failuresOf } from "../../domain/bulk/bulk-totals.js";
import type { EndedItem } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { recordFailures } from "../run-failures.js";
import { type BulkDependencies, openRun } from "./dependencies.js";
import { type BulkGroup, endsOf, openGroup } from "./open-group.js";

interface CloseGroupInput extends BulkGroup, StagedClose {}

/**
 * Closes a group once no slice will work on it any more: keeps the results of its items and records what failed. For a
 * kind that writes group by group, also writes the rows. Returns what the failed items add to the totals.
 */
export async function closeGroup(
  deps: BulkDependencies,
  { results, failed, ...input }: CloseGroupInput,
): Promise<BulkTotals> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const items = await group.ended(await staging.close(input.group).keep({ results, failed }));
  if (job.publish === undefined) await writeGroup(deps, input, items);
  const failures = failuresOf(
    items.flatMap((item) => endsOf(job, item)),
    group.owner,
  );
  await recordFailures(deps.lake, { runId: input.runId, part: `g${input.group}` }, failures);
  return group.totalsOf(items.filter(({ result }) => result === null).flatMap((item) => endsOf(job, item)));
}

/** Writes the rows that the items of a closed group add to each table, once, and notes that they are there. */
export async function writeGroup(
  deps: BulkDependencies,
  input: BulkGroup,
  items: readonly EndedItem<object, unknown>[],
): Promise<void> {
  const { job, staging, context } = openRun(deps, input);
  const given = await context();
  const { origin } = await staging.file.require();
  const written = items.map((item) => job.rows(given, item));
  for (const table of job.tables) {
    const rows = written.flatMap((tables) => tables[table.name] ?? []);
    await appendOnce(deps.lake, table, `${origin}/${table.name}/${input.group}`, () =>
      writeRows(deps.lake, table, input.runId, rows),
    );
  }
  await staging.noteWritten(input.group);
}
