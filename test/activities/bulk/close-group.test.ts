import { expect, test } from "vitest";
import { closeGroup } from "../../../src/activities/bulk/close-group.js";
import { type BulkDependencies, planItems } from "../../../src/activities/bulk/open-group.js";
import type { FrozenBulkRow } from "../../../src/domain/bulk/bulk-job.js";
import { importJob } from "../../../src/jobs/import.js";
import { BulkStaging } from "../../../src/lake/bulk/bulk-staging.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { SealedRows } from "../../../src/lake/store/sealed-rows.js";
import { transactionImports } from "../../../src/lake/tables/bulk.js";
import { freezeImport } from "../../helpers/bulk/frozen-import.js";
import { eachTest } from "../../helpers/each-test.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);

const GROUP = { runId: "import-1", kind: "import", staging: "import-job", group: 0 };
const ITEMS = 60;
/** Of all items more than the rows that are kept from one table to the next. */
const LETTERS = 200_000;
const second = { ...transactionImports, name: "second_imports" };

/** Freezes a file of so many items of a kind, and plans them. */
async function planned(job: object, items: number): Promise<BulkDependencies> {
  const frozenRows = new SealedRows<FrozenBulkRow>(bench.deps.sealed);
  const deps = { ...bench.deps, jobs: [job as never], frozenRows };
  await freezeImport(new BulkStaging(bench.deps.sealed, GROUP.staging, frozenRows), items, 1);
  await bench.run(() => planItems(deps, GROUP));
  return deps;
}

test("every table of a kind has all rows, also where they are too long to be kept for the second", async () => {
  const rows = (_: unknown, item: { readonly rows: readonly { readonly line: number }[] }) => {
    const [{ line = 0 } = {}] = item.rows;
    const row = { run_id: GROUP.runId, line, status: "refused", reason: "x".repeat(LETTERS) };
    return { [transactionImports.name]: [row], [second.name]: [row] };
  };
  const job = { ...importJob, tables: [transactionImports, second], rows };
  const deps = await planned(job, ITEMS);
  const failed = Array.from({ length: ITEMS }, (_, item) => ({ item, reason: "gave_up http_429" }));
  await bench.run(() => closeGroup(deps, { ...GROUP, results: [], failed }));
  for (const spec of [transactionImports, second]) {
    const [found] = await readTables(bench.deps.lake, [spec], (sql) =>
      sql.rows(`select count(distinct line) as lines, min(length(reason)) as letters from ${spec.name}`),
    );
    expect(found).toEqual({ lines: BigInt(ITEMS), letters: BigInt(LETTERS) });
  }
});

// Every later run of the rows failed for good with the same words, and no row of what was sent came into a table.
test("results that a restored lake lacks fail the run once: the next one closes the group with its own", async () => {
  const deps = await planned(importJob, 1);
  const lost = bench.run(() => closeGroup(deps, { ...GROUP, results: ["0-gone.0"], failed: [] }));
  await expect(lost).rejects.toThrow(/gone from the lake's staging area/);
  const failed = [{ item: 0, reason: "gave_up http_429" }];
  expect(await bench.run(() => closeGroup(deps, { ...GROUP, results: [], failed }))).toMatchObject({
    rows: { failed: 1 },
  });
});
