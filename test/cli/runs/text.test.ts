import { expect, test } from "vitest";
import {
  averageWords,
  costWords,
  doneWords,
  nextWords,
  openRunWords,
  RUN_COLUMNS,
  runRow,
  waitingWords,
} from "../../../src/cli/runs/text.js";
import type { Run } from "../../../src/domain/run.js";
import { waitingState } from "../../../src/domain/waiting.js";

const SYNC: Run = {
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
  reason: null,
  message: null,
};
const failed = (...examples: string[]) => {
  return { status: "failed", reason: "http_500", count: examples.length, action: null, examples };
};
const IMPORT = { ...SYNC, run_id: "import-20261122T021500Z-3f9c2a", kind: "import" };

test.each<[string, Run, readonly string[], readonly string[]]>([
  ["nothing failed", SYNC, [], []],
  ["links failed", SYNC, ["l1"], [`retry only what failed: nightledger runs retry ${SYNC.run_id}`]],
  [
    "a step failed, of which no link or user says so",
    { ...SYNC, status: "failed", reason: "lake_full", message: "No space left" },
    ["materialize"],
    [`make room, then do the whole run again: nightledger runs retry ${SYNC.run_id}`],
  ],
  [
    "rows failed",
    IMPORT,
    ["line 2"],
    [`run again only what failed: nightledger runs retry ${IMPORT.run_id}`],
  ],
])("what to do next where %s", (_, run, examples, words) => {
  expect(nextWords(run, examples.length === 0 ? [] : [failed(...examples)])).toEqual(words);
});

test.each([
  ["this", "lost: `nightledger import continue` continues it"],
  ["another", "once nothing runs it there, `nightledger import continue --restart` continues it here"],
  ["unknown", "with --restart if another machine or NIGHTLEDGER_HOME began it"],
] as const)(
  "a run of an import that %s Temporal began is continued by a command that works",
  (home, words) => {
    expect(openRunWords({ ...IMPORT, status: "lost", home })).toContain(words);
  },
);

test("a run that Temporal does not list yet has begun, and lacks no worker", () => {
  expect(openRunWords({ ...SYNC, status: "running" })).toBe("it has just begun");
});

test("a list says when a run began, how long it took and what it did", () => {
  const run = { ...SYNC, started_at: "2026-11-21T02:15:00Z", finished_at: "2026-11-21T02:16:00Z" };
  const row = runRow({ ...run, counts: { users: 3, links: 6, failed: 0, created: 12 } });
  expect(Object.keys(row)).toEqual(RUN_COLUMNS);
  expect(row).toMatchObject({ took: "1m", did: "3 users, 6 links, 12 created", schedule: "" });
  expect(row.started).toMatch(/^11-2\d \d\d:\d5$/);
  expect(runRow({ ...SYNC, started_at: "", finished_at: null }).started).toBe("");
  expect(runRow(run, true).started).toBe("2026-11-21T02:15:00Z");
});

test("a run in progress says how many calls at once the service bears, once that was learnt", () => {
  const open = (learned_limit: number | null) => {
    return waitingWords({ ...SYNC, status: "running", progress: { ...waitingState([]), learned_limit } });
  };
  expect(open(null)).toEqual([]);
  expect(open(8)).toEqual(["8 calls at once, as the service bears them"]);
});

test("one of something is counted as one", () => {
  const run = { ...SYNC, counts: { users: 1, links: 1, synced: 1, created: 2, calls: 1, pages: 1 } };
  expect(doneWords(run)).toBe("1 user, 1 link, 1 synced, 2 created");
  expect(doneWords({ ...IMPORT, counts: { users: 1 } })).toBe("1 transaction");
  expect(costWords(run)).toBe("1 call, 1 page");
});

test("the pace of a run is said where it is known, with the time left where that is", () => {
  const figures = { done: 1, total: 2, rate: "812 rows/s", left: "4 min left" };
  expect(averageWords(figures)).toBe("812 rows/s on average, 4 min left");
  expect(averageWords({ ...figures, rate: null, left: null })).toBe("");
  expect(averageWords(null)).toBe("");
});
