import { addBulkTotals, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { withHeartbeat } from "../heartbeat.js";
import { type BulkDependencies, type BulkGroup, jobOf, stagingOf } from "./dependencies.js";
import { endedItems } from "./ended-items.js";
import { ownersOf, placeOf, totalsOf } from "./group-plan.js";

interface CloseGroupInput extends BulkGroup, StagedClose {}

/**
 * Closes a group that no slice will take any more: keeps what its items came to and, of a kind that writes group by
 * group, its rows; what the items that failed add to the totals.
 */
export async function closeGroup(
  deps: BulkDependencies,
  { results, failed, ...group }: CloseGroupInput,
): Promise<BulkTotals> {
  return withHeartbeat(async () => {
    const close = await stagingOf(deps, group).keepClose(group.group, { results, failed });
    const job = jobOf(deps, group);
    if (job.pack === undefined) await writeGroup(deps, group);
    const { items, rows } = await endedItems(deps, group, close);
    const ends = items.filter(({ result }) => result === null).flatMap((item) => job.ends(item));
    return addBulkTotals(noBulkTotals(), totalsOf(ends, ownersOf(job, rows)));
  });
}

/** Writes the rows of a closed group into each table, once, and notes that they are there. */
export async function writeGroup(deps: BulkDependencies, group: BulkGroup): Promise<void> {
  const job = jobOf(deps, group);
  const staging = stagingOf(deps, group);
  const [place, { origin }, close] = [
    await placeOf(deps, group),
    await staging.file(),
    await staging.close(group.group),
  ];
  const { items } = await endedItems(deps, group, close);
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
