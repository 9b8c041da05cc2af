import { afterEach, beforeEach, expect, test } from "vitest";
import { lakeFacts } from "../../../src/lake/alerts/lake-facts.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { runs } from "../../../src/lake/tables/runs.js";
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

const RULES = { "max-age": 1, "failed-links": 0, "open-quarantine": 0 };
type Row = Readonly<Record<string, string | number>>;
const add = (spec: typeof runs | typeof linkSyncs, rows: readonly Row[]) =>
  appendOnce(lake, spec, `test/${spec.name}`, () => writeRows(lake, spec, "test", rows));
const night = (day: number, time = "02:20:00") => `2026-11-${String(day).padStart(2, "0")}T${time}Z`;

test("a lake without tables has no facts", async () => {
  expect(await lakeFacts(lake, RULES, [])).toEqual({
    firstSyncAt: null,
    newestSync: null,
    failedLinks: { count: 0, runId: null },
    openQuarantine: 0,
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
