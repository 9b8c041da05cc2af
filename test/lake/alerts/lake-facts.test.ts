import { afterEach, beforeEach, expect, test } from "vitest";
import { lakeFacts } from "../../../src/lake/alerts/lake-facts.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { onboardings } from "../../../src/lake/tables/onboardings.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { runFailures, runs } from "../../../src/lake/tables/runs.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";

let base: TestLake;
let lake: Lake;
beforeEach(async () => {
  base = await openTestLake();
  lake = openLake({ directory: base.directory });
});
afterEach(async () => {
  await lake.close();
  await base.release();
});

const RULES = { "another-subject": 0, "max-age": 1, "failed-links": 0, "open-quarantine": 0 };
type Row = Readonly<Record<string, string | number>>;
const add = (
  spec: typeof runs | typeof linkSyncs | typeof runFailures | typeof onboardings,
  rows: readonly Row[],
) => appendOnce(lake, spec, `test/${spec.name}`, () => writeRows(lake, spec, "test", rows));
const night = (day: number, time = "02:20:00") => `2026-11-${String(day).padStart(2, "0")}T${time}Z`;

test("a lake without tables has no facts", async () => {
  expect(await lakeFacts(lake, RULES, [])).toEqual({
    firstSyncAt: null,
    newestSync: null,
    failedLinks: { count: 0, runId: null },
    openQuarantine: 0,
    otherSubjects: { count: 0, runId: null },
    ended: [],
  });
});

test("the newest sync that was completed counts, whatever failed after it", async () => {
  const run = (run_id: string, status: string, day: number, more: Row = {}) => {
    return {
      run_id,
      kind: "sync",
      status,
      started_at: night(day, "02:15:00"),
      finished_at: night(day),
      ...more,
    };
  };
  await add(runs, [
    run("sync-1", "completed", 1, { schedule: "nightly", scheduled_at: night(1, "02:15:00") }),
    run("sync-2", "completed_with_failures", 2),
    run("sync-3", "failed", 3, { message: "gone" }),
    { ...run("cip-4", "completed", 4), kind: "cip" },
  ]);
  const facts = await lakeFacts(lake, RULES, []);
  expect(facts).toMatchObject({
    firstSyncAt: Date.parse(night(1, "02:15:00")),
    newestSync: { runId: "sync-2", finishedAt: Date.parse(night(2)) },
  });
  expect(facts.ended.map(({ runId, message }) => [runId, message]).sort()).toEqual([
    ["cip-4", null],
    ["sync-1", null],
    ["sync-2", null],
    ["sync-3", "gone"],
  ]);
  expect(facts.ended.find(({ runId }) => runId === "sync-1")).toMatchObject({
    schedule: "nightly",
    dueAt: Date.parse(night(1, "02:15:00")),
  });
});

test("a link counts by its newest row, and not where no sync reads it any more", async () => {
  const link = (link_id: string, day: number, status: string, more: Row = {}) => {
    return { run_id: `sync-${day}`, link_id, status, finished_at: night(day), ...more };
  };
  await add(linkSyncs, [
    link("fixed", 10, "failed"),
    link("fixed", 11, "synced"),
    link("broken", 10, "synced"),
    link("broken", 11, "failed"),
    link("raced", 10, "failed"),
    link("raced", 11, "skipped", { reason: "superseded" }),
    link("left", 2, "failed"),
  ]);
  const { failedLinks } = await lakeFacts(lake, RULES, []);
  expect(failedLinks).toEqual({ count: 2, runId: "sync-11" });
  expect((await lakeFacts(lake, { "max-age": 1 }, [])).failedLinks.count).toBe(0);
});

test("answers about others are counted over users, links, rows and customers of the newest runs", async () => {
  const kinds = [
    ["sync-1", "sync", 1],
    ["sync-2", "sync", 2],
    ["cip-2", "cip", 2],
    ["onboard-2", "onboard", 2],
  ] as const;
  await add(
    runs,
    kinds.map(([run_id, kind, day]) => ({ run_id, kind, status: "failed", finished_at: night(day) })),
  );
  const reason = "another_subject links[].fp_id: •••2222 for •••1111";
  await add(runFailures, [
    { run_id: "sync-1", owner: "fp_1", reason: `bank_links: ${reason}` },
    { run_id: "sync-2", owner: "fp_1", reason: `bank_links: ${reason}` },
    { run_id: "sync-2", owner: "fp_2", reason: "bank_links: user not found" },
    { run_id: "cip-2", owner: "fp_1", reason },
  ]);
  await add(linkSyncs, [
    { run_id: "sync-2", link_id: "link_1", status: "failed", reason, finished_at: night(2) },
    { run_id: "sync-2", link_id: "link_2", status: "failed", reason: "cursor_loop", finished_at: night(2) },
  ]);
  await add(onboardings, [{ run_id: "onboard-2", status: "failed", error_class: "AnotherSubjectError" }]);
  const { otherSubjects } = await lakeFacts(lake, RULES, []);
  expect(otherSubjects).toEqual({ count: 4, runId: "sync-2" });
  expect((await lakeFacts(lake, {}, [])).otherSubjects).toEqual({ count: 0, runId: null });
});
