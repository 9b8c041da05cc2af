import { expect, test } from "vitest";
import { judgedRun } from "../../../src/activities/hooks/call-hooks.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { eachTest } from "../../helpers/each-test.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

test("the run before is the newest of its schedule, or of its file and options, that was not cancelled", async () => {
  const rows = [
    ["r1", "nightly", "j1", "failed"],
    ["r2", "nightly", "j2", "cancelled"],
    ["r3", "weekly", "j1", "completed"],
    ["r4", null, "j1", "completed"],
    ["r5", "nightly", "j3", "completed"],
    ["r6", null, "j2", "completed"],
    ["r7", null, "j1", "failed"],
  ].map(([run_id, schedule, job_id, status], minute) => ({
    run_id,
    schedule,
    job_id,
    status,
    kind: "sync",
    finished_at: `2026-05-05T01:0${minute}:00Z`,
  }));
  await appendOnce(at.lake, runs, "all", () => writeRows(at.lake, runs, "all", rows));
  const previous = async (id: string) => (await judgedRun(at.lake, id))?.previous;
  expect(await previous("r5")).toBe("failed");
  expect(await previous("r6")).toBeNull();
  expect(await previous("r7")).toBe("completed");
});
