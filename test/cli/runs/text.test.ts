import { expect, test } from "vitest";
import type { SeenRun } from "../../../src/cli/runs/seen-run.js";
import { nextWords, runLines } from "../../../src/cli/runs/text.js";

const SYNC: SeenRun = {
  run_id: "sync-20261122T021500Z-3f9c2a",
  kind: "sync",
  job_id: "1",
  status: "completed_with_failures",
  schedule: null,
  scheduled_at: null,
  started_at: "2026-11-22T02:15:00.000Z",
  finished_at: "2026-11-22T02:16:00.000Z",
  counts: { failed: 1 },
  options: {},
  message: null,
};
const failed = (...examples: string[]) => {
  return { status: "failed", reason: "http_500", count: examples.length, action: null, examples };
};
const IMPORT = { ...SYNC, run_id: "import-20261122T021500Z-3f9c2a", kind: "import" };

test.each<[string, SeenRun, readonly string[], readonly string[]]>([
  ["nothing failed", SYNC, [], []],
  ["links failed", SYNC, ["l1"], [`retry only what failed: nightledger runs retry ${SYNC.run_id}`]],
  [
    "a step failed, of which a retry finds nothing",
    SYNC,
    ["materialize"],
    ["run the same sync again: each link that was committed costs only one call"],
  ],
  [
    "rows failed",
    IMPORT,
    ["line 2"],
    [`run again only what failed: nightledger runs retry ${IMPORT.run_id}`],
  ],
  [
    "a sync was cancelled",
    { ...SYNC, status: "cancelled" },
    [],
    ["run the same sync again: each link that was committed costs only one call"],
  ],
  [
    "a run was cancelled that may have sent something",
    { ...IMPORT, status: "cancelled" },
    [],
    ["finish it with the same command, or: nightledger imports continue"],
  ],
  [
    "a run was cancelled that changes nothing at the service",
    { ...IMPORT, kind: "reconcile", status: "cancelled" },
    ["line 2"],
    ["run the same command again, which starts a new run"],
  ],
  ["a run that was stopped keeps no failed rows", { ...IMPORT, status: "failed" }, ["line 2"], []],
])("what to do next where %s", (_, run, examples, words) => {
  expect(nextWords(run, examples.length === 0 ? [] : [failed(...examples)])).toEqual(words);
});

test("the columns of a list of runs are as wide as its longest id", () => {
  const write = { ...SYNC, run_id: "vault_write-20261122T021500Z-3f9c2a", status: "running" } as const;
  const lines = runLines([SYNC, write]);
  expect(lines.map((line) => line.search(/completed|running/))).toEqual([37, 37]);
});
