import { beforeEach, expect, test } from "vitest";
import { closeGroup } from "../../../src/activities/bulk/close-group.js";
import { finishBulk } from "../../../src/activities/bulk/finish-bulk.js";
import { type BulkDependencies, planItems } from "../../../src/activities/bulk/open-group.js";
import type { FrozenBulkRow } from "../../../src/domain/bulk/bulk-job.js";
import { noBulkTotals } from "../../../src/domain/bulk/bulk-totals.js";
import { leftOf, NO_REASON } from "../../../src/domain/run.js";
import { importJob } from "../../../src/jobs/import.js";
import { BulkStaging } from "../../../src/lake/bulk/bulk-staging.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { SealedRows } from "../../../src/lake/store/sealed-rows.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { transactionImports } from "../../../src/lake/tables/bulk.js";
import { freezeImport } from "../../helpers/bulk/frozen-import.js";
import { eachTest } from "../../helpers/each-test.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const GROUP = { runId: "import-1", kind: "import", staging: "import-job", group: 0 };
const FAILED = { results: [], failed: [{ item: 1, reason: "gave_up http_429" }] };

const bench = eachTest(openActivityBench);
let deps: BulkDependencies;
let staging: BulkStaging;
beforeEach(async () => {
  const frozenRows = new SealedRows<FrozenBulkRow>(bench.deps.sealed);
  deps = { ...bench.deps, jobs: [importJob as never], frozenRows };
  staging = new BulkStaging(bench.deps.sealed, GROUP.staging, frozenRows);
});

const freeze = (rows: number) => freezeImport(staging, rows, 2);

const finish = (ended: Partial<Parameters<typeof finishBulk>[1]> = {}, given = deps) =>
  bench.run(() =>
    finishBulk(given, {
      ...GROUP,
      jobId: "job",
      phases: {},
      status: "failed",
      why: NO_REASON,
      pausedMs: 0,
      totals: noBulkTotals(),
      ...ended,
      groups: 1,
      startedAt: new Date().toISOString(),
    }),
  );
const ledger = () =>
  readTables(deps.lake, [transactionImports], (sql) =>
    sql.rows("select line, status, reason from transaction_imports order by line"),
  );

test("a file whose rows fill the staged objects exactly", async () => {
  await freeze(500);
  expect(await bench.run(() => planItems(deps, GROUP))).toMatchObject({ items: 250 });
});

test("a group that an earlier run has closed is not worked on again: its rows are as they were, and the rest fails", async () => {
  await freeze(4);
  expect(await bench.run(() => planItems(deps, GROUP))).toMatchObject({ items: 2 });
  const closed = await bench.run(() => closeGroup(deps, { ...GROUP, ...FAILED }));
  const written = await ledger();
  expect(written.map(({ line, status }) => `${line} ${status}`)).toEqual(["3 refused", "4 refused"]);
  const later = { ...GROUP, runId: "import-2" };
  const { items, totals } = await bench.run(() => planItems(deps, later));
  expect(items).toBe(0);
  expect(totals).toMatchObject({ rows: { total: 4, failed: 2 } });
  expect(totals.failures.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    "1 not_begun",
    "2 not_begun",
  ]);
  expect(await bench.run(() => closeGroup(deps, { ...later, results: [], failed: [] }))).toEqual(closed);
  expect(await ledger()).toEqual(written);
  await finish({ status: "completed_with_failures", totals });
  const kept = new BulkStaging(deps.sealed, leftOf(GROUP.runId));
  expect((await kept.rowsOf(0)).map(({ line }) => line)).toEqual([1, 2, 3, 4]);
});

test("a run ends without its staging, unless a group was planned and its rows are not written", async () => {
  await freeze(4);
  await bench.run(() => planItems(deps, GROUP));
  await finish();
  expect(await staging.file.find()).toBeDefined();
  // Closed, but its rows could not be written.
  await staging.close(GROUP.group).putIfAbsent(FAILED);
  await finish();
  expect(await staging.file.find()).toBeDefined();
  await bench.run(() => closeGroup(deps, { ...GROUP, ...FAILED }));
  await finish();
  expect(await deps.sealed.list(`_staging/${GROUP.staging}/`)).toEqual([]);
});

/** A store whose process is killed when it is to delete all of a staging. */
class DyingStore extends SealedStore {
  override async deletePrefix(...[prefix, options]: Parameters<SealedStore["deletePrefix"]>): Promise<void> {
    if (prefix.endsWith(`/${GROUP.staging}/`)) throw new Error("killed");
    await super.deletePrefix(prefix, options);
  }
}

test("a run that is killed while it deletes leaves no plan without answers, and finishes again", async () => {
  await freeze(4);
  await bench.run(() => planItems(deps, GROUP));
  const totals = await bench.run(() => closeGroup(deps, { ...GROUP, ...FAILED }));
  const ended = { status: "completed_with_failures", totals } as const;
  const sealed = new DyingStore(deps.lake.store, deps.sealed.sealer);
  await expect(finish(ended, { ...deps, sealed })).rejects.toThrow("killed");
  expect(await staging.plan(GROUP.group).find()).toBeUndefined();
  await deps.sealed.deletePrefix(`_staging/${GROUP.staging}/closed/`);
  await finish(ended);
  const kept = (await deps.sealed.list("_staging/")).map(({ key }) => key.split("/")[1]);
  expect(new Set(kept)).toEqual(new Set([leftOf(GROUP.runId)]));
});
