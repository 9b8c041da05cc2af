import { expect, test } from "vitest";
import { summaryLines } from "../../../src/cli/shell/summary.js";
import { ruleInWords } from "../../../src/cli/sync/command.js";
import { SYNC_PROGRESS, syncProblems, syncSummary } from "../../../src/cli/sync/text.js";
import { NO_REASON } from "../../../src/domain/run.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";
import type { SyncProgress } from "../../../src/workflows/sync/sync.js";

const textOf = (summary: SyncSummary) =>
  summaryLines({ summary: syncSummary, problems: syncProblems }, summary).join("\n");

const summary: SyncSummary = {
  ...noTotals(),
  run_id: "sync-1",
  status: "completed",
  ...NO_REASON,
  lists: [],
  quarantine: { new: 0, open: 0 },
  duration_ms: 1,
  lake_root: null,
};
const lines = (change: Partial<SyncSummary>, name: string) => {
  const all = textOf({ ...summary, ...change }).split("\n");
  const at = all.findIndex((line) => line.startsWith(name));
  if (at === -1) return [];
  const end = all.findIndex((line, n) => n > at && !line.startsWith(" "));
  return all.slice(at, end === -1 ? undefined : end);
};

test("users who were forgotten are counted apart", () => {
  expect(lines({ users: { total: 3, failed: 0, forgotten: 1 } }, "users")).toEqual([
    "users     3, 1 forgotten and not read",
  ]);
});

test("until a link is done, pages tell that something happens; long links by their pages, and by name once a slice tells it", () => {
  const figures = { phase: "reading", users: "3/3", total: 50, pages: 340, rows: 34_000 };
  const { line, read } = SYNC_PROGRESS;
  expect(line({ ...figures, done: 0 })).toBe("reading: 0/50 links done, 340 pages, 34000 rows, 3/3 users");
  expect(line({ ...figures, done: 1 })).toBe("reading: 1/50 links done, 34000 rows, 3/3 users");
  expect([0, 1].map((done) => read?.({ ...figures, done }))).toEqual([
    "340 pages · 34000 rows",
    "34000 rows",
  ]);
});

// "reading: 93/93 links done" stayed while the last commits went on.
test("once every user and link is read, a sync says that it commits", () => {
  const read = { usersDone: 3, usersTotal: 3, linksDone: 93, linksFound: 93, phase: "reading" };
  const phaseOf = (progress: object) => SYNC_PROGRESS.figures({ ...read, ...progress } as SyncProgress).phase;
  expect(phaseOf({})).toBe("committing");
  expect([phaseOf({ usersDone: 2 }), phaseOf({ linksDone: 92 })]).toEqual(["reading", "reading"]);
  expect(phaseOf({ phase: "materializing" })).toBe("materializing");
});

test.each([
  [1, ["a"], 1, "exit 1 by --fail-on quarantine: 1 open row (a)"],
  [12, ["a", "b"], 3, "exit 1 by --fail-on quarantine: 12 open rows (a, b, …)"],
])("a broken rule: %i", (count, owners, owners_total, words) => {
  expect(ruleInWords({ rule: "quarantine", count, owners, owners_total })).toBe(words);
});

test.each([
  [{ new: 0, open: 0 }, []],
  [{ new: 0, open: null }, []],
  [{ new: 1, open: 3 }, ["bad rows  1 new, 3 open; see: nightledger quarantine list"]],
  [{ new: 0, open: 3 }, ["bad rows  0 new, 3 open; see: nightledger quarantine list"]],
  [{ new: 2, open: 0 }, ["bad rows  2 new, 0 open"]],
  [{ new: 2, open: null }, ["bad rows  2 new"]],
])("bad rows %j", (quarantine, text) => {
  expect(lines({ quarantine }, "bad rows")).toEqual(text);
});

test("pending rows that may be gone come with the setting that says so", () => {
  expect(lines({ pending_undecided: 0 }, "pending")).toEqual([]);
  expect(lines({ pending_undecided: 2 }, "pending")).toEqual([
    "pending   2 older rows: nothing says whether they are still there, so they are kept;",
    "          set service.pending in nightledger.yaml to listed or replaced",
  ]);
});

test("rows of each stream without a cursor, and no pages where none was read", () => {
  const lists = [
    { stream: "accounts", changed: 12, removed: 0 },
    { stream: "bank_links", changed: 0, removed: 3 },
  ];
  expect(lines({ lists }, "lists")).toEqual([
    "lists     accounts: 12 new or changed",
    "          bank_links: 0 new or changed, 3 removed",
  ]);
  expect(lines({ calls: 2 }, "calls")).toEqual(["calls     2"]);
  expect(lines({ calls: 2, pages: 3, restarts: 1 }, "calls")).toEqual(["calls     2 for 3 pages, 1 restart"]);
});
