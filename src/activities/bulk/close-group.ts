import type { BulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { EndedItem } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { withHeartbeat } from "../heartbeat.js";
import { recordFailures } from "../run-failures.js";
import { type BulkDependencies, type BulkGroup, jobOf, stagingOf } from "./dependencies.js";
import { endedItems } from "./ended-items.js";
import { failedRows, ownersOf, placeOf, totalsOf } from "./group-plan.js";

interface CloseGroupInput extends BulkGroup, StagedClose {}

/**
 * Closes a group that no slice will take any more: keeps what its items came to and, of a kind that writes group by
 * group, its rows, and what failed; what the items that failed add to the totals.
 */
export async function closeGroup(
  deps: BulkDependencies,
  { results, failed, ...group }: CloseGroupInput,
): Promise<BulkTotals> {
  return withHeartbeat(async () => {
    const close = await stagingOf(deps, group).keepClose(group.group, { results, failed });
    const job = jobOf(deps, group);
    const { items, rows } = await endedItems(deps, group, close);
    if (job.pack === undefined) await writeGroup(deps, group, items);
    const owner = ownersOf(job, rows);
    const failures = failedRows(items.flatMap(job.ends), owner);
    await recordFailures(deps.lake, { runId: group.runId, part: `g${group.group}` }, failures);
    const ends = items.filter(({ result }) => result === null).flatMap((item) => job.ends(item));
    return totalsOf(ends, owner);
  });
}

/** Writes the rows that the items of a closed group leave into each table, once, and notes that they are there. */
export async function writeGroup(
  deps: BulkDependencies,
  group: BulkGroup,
  items: readonly EndedItem<object, unknown>[],
): Promise<void> {
  const job = jobOf(deps, group);
  const staging = stagingOf(deps, group);
  const place = await placeOf(deps, group);
  const { origin } = await staging.file();
  const written = items.map((item) => job.rows(place, item));
  for (const table of job.tables) {
    await appendOnce(deps.lake, table, `${origin}/${table.name}/${group.group}`, () =>
      writeRows(
        deps.lake,
        table,
        group.runId,
        written.flatMap((tables) => tables[table.name] ?? []),
      ),
    );
  }
  await staging.noteWritten(group.group);
}
