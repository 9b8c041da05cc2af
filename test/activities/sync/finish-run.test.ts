import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finishRun } from "../../../src/activities/sync/finish-run.js";
import { NO_REASON } from "../../../src/domain/run.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";
import type { TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { Staging } from "../../../src/lake/staging.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { eachTest } from "../../helpers/each-test.js";
import { withFaults } from "../../helpers/kill/fault-store.js";
import { appendRows } from "../../helpers/query/append-rows.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);

const append = (spec: TableSpec, row: Readonly<Record<string, unknown>>) =>
  appendRows(bench.deps.lake, spec, [row]);

const finish = (runId: string, { deps = bench.deps, attempt = 1 } = {}) =>
  bench.run(
    () =>
      finishRun(deps, {
        ...{ runId, jobId: "job", startedAt: "2026-01-01T00:00:00Z", status: "completed" },
        totals: noTotals(),
        why: NO_REASON,
        pausedMs: 0,
        phases: {},
        roster: { sha256: "0", users: 1, groupSize: 100 },
        options: { streams: ["transactions"], links: null, full: false, pageSize: 500 },
      }),
    attempt,
  );

const recorded = (spec: TableSpec, columns: string) =>
  readTables(bench.deps.lake, [spec], (sql) =>
    sql.rows(`select ${columns} from ${spec.name} order by run_id`),
  );

async function addBadRow(): Promise<void> {
  await append(quarantine, {
    ...{
      run_id: "run-1",
      stream: "transactions",
      fp_id: "fp",
      link_id: "a",
      page: 0,
      index: 0,
      list: "created",
    },
    ...{ reason: "amount: not a decimal string", payload: '{"transaction_id":"t"}' },
    fetched_at: "2026-01-01T02:00:00Z",
  });
}

test("a run's end counts what is open, without what came good since", async () => {
  await addBadRow();
  expect(await finish("run-1")).toMatchObject({ open: 1 });
  await append(transactionChanges, {
    ...{ run_id: "run-2", link_id: "a", transaction_id: "t", change_type: "updated", sequence: 2 },
    fetched_at: "2026-01-02T02:00:00Z",
  });
  expect(await finish("run-2")).toMatchObject({ open: 0 });
  expect(await finish("run-2")).toMatchObject({ open: 0 });
  expect(await recorded(runs, "run_id, quarantine_open")).toEqual([
    { run_id: "run-1", quarantine_open: 1n },
    { run_id: "run-2", quarantine_open: 0n },
  ]);
});

test("a run ends where nobody can tell what is open", async () => {
  await addBadRow();
  const { lake } = bench.deps;
  const [file] = (await lake.table("quarantine").snapshot()).files.keys();
  await rm(join(lake.store.address, "quarantine", file ?? ""));
  expect(await finish("run-1")).toMatchObject({ open: null });
  expect(await recorded(runs, "status, quarantine_open")).toEqual([
    { status: "completed", quarantine_open: null },
  ]);
});

test("a run ends where what it staged can't be deleted, after some attempts", async () => {
  const { lake } = bench.deps;
  await lake.staging.putDocument("run-1", "load", {});
  const refused = { on: "deletePrefix", key: "run-1", when: "before", effect: "lost", nth: 0 } as const;
  const staging = new Staging(withFaults(lake.store, [refused]));
  const deps = { ...bench.deps, lake: { ...lake, staging } };
  await expect(finish("run-1", { deps, attempt: 4 })).rejects.toThrow("deletePrefix _staging/run-1/");
  expect(await finish("run-1", { deps, attempt: 5 })).toMatchObject({ open: 0 });
  expect(await lake.store.folders("_staging/")).toContain("run-1");
  await finish("run-1");
  expect(await lake.store.folders("_staging/")).not.toContain("run-1");
});
