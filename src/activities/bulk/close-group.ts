import { type BulkTotals, failuresOf, sumOfTotals } from "../../domain/bulk/bulk-totals.js";
import { StagingLostError } from "../../domain/failures.js";
import type { AnyJob } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { recordFailures } from "../run-row.js";
import { type BulkDependencies, type BulkGroup, type OpenGroup, openGroup } from "./open-group.js";

interface CloseGroupInput extends BulkGroup, StagedClose {}

/**
 * Closes a group once no slice will work on it any more: keeps the results of its items and records what failed. For a
 * kind that publishes nothing, also writes the rows. Returns what the failed items add to the totals.
 */
export async function closeGroup(
  deps: BulkDependencies,
  { results, failed, ...input }: CloseGroupInput,
): Promise<BulkTotals> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const closed = staging.close(input.group);
  const close = await closed.putIfAbsent({ results, failed });
  const written = async () => {
    if (job.publish === undefined) await writeGroup(deps, input, { group, close });
    return group.closedItems(close);
  };
  const items = await written().catch(async (error) => {
    // Temporal may name results that a restored lake lacks: a later run makes them again, from the answers.
    if (error instanceof StagingLostError) await closed.drop();
    throw error;
  });
  const failures = failuresOf(
    items.flatMap(({ ends }) => ends),
    group.ownerOf,
  );
  await recordFailures(deps.lake, { runId: input.runId, part: `g${input.group}` }, failures);
  return sumOfTotals(items.filter(({ isDone }) => !isDone).map(({ totals }) => totals));
}

/** Writes the rows that the items of a closed group add to each table, once, and notes that they are there. */
export async function writeGroup(
  { lake }: BulkDependencies,
  input: BulkGroup,
  { group, close }: { readonly group: OpenGroup; readonly close: StagedClose },
): Promise<void> {
  const { job, staging } = group.run;
  const { origin } = await staging.file.require();
  const everyRow = await rowsOfItems(group, close);
  for (const table of job.tables) {
    async function* rows() {
      for await (const ofItem of everyRow()) yield* ofItem[table.name] ?? [];
    }
    await appendOnce(lake, table, `${origin}/${table.name}/${input.group}`, () =>
      writeRows(lake, table, input.runId, rows()),
    );
  }
  await staging.noteWritten(input.group);
}

/** The most bytes of rows that are kept from one table to the next. */
const KEPT_BYTES = 8 * 1024 * 1024;

type RowsOfItem = ReturnType<AnyJob["rows"]>;

/**
 * Makes a reader of what each item of a closed group adds to the tables. Several tables share what one reading found;
 * only where that is long, because results may be more than memory holds, each of them reads the results again.
 */
async function rowsOfItems(group: OpenGroup, close: StagedClose): Promise<() => AsyncGenerator<RowsOfItem>> {
  const { job, context } = group.run;
  const given = await context();
  let kept: readonly RowsOfItem[] | undefined;
  return async function* () {
    if (kept !== undefined) return yield* kept;
    const found: RowsOfItem[] = [];
    let bytes = job.tables.length > 1 ? 0 : Number.POSITIVE_INFINITY;
    for await (const item of group.ended(close)) {
      const rows = job.rows(given, item);
      if (bytes <= KEPT_BYTES) {
        bytes += JSON.stringify(rows).length;
        found.push(rows);
      }
      yield rows;
    }
    if (bytes <= KEPT_BYTES) kept = found;
  };
}
