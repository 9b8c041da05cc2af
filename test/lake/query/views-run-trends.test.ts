import { expect, test } from "vitest";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";

test("a run has its times in seconds and its rows per second; null where there are none", async () => {
  const run = { kind: "sync", status: "completed", started_at: "2026-01-01T23:59:59.5Z" };
  const tables = {
    runs: [
      {
        ...{ ...run, run_id: "a", schedule: "nightly", finished_at: "2026-01-02T00:00:02Z", paused_ms: 1500 },
        ...{ links: 7, created: 4, updated: 3, removed: 3, quarantined: 1, failed: 2, calls: 9, pages: 8 },
        restarts: 1,
      },
      {
        ...{ ...run, run_id: "b", finished_at: "2026-01-02T00:00:00Z", created: 0, updated: 0, removed: 0 },
      },
      { ...run, run_id: "c", finished_at: run.started_at, created: 1, updated: 0, removed: 0 },
      { ...run, run_id: "d", kind: "onboard", finished_at: "2026-01-02T00:00:00Z", failed: 1, calls: 3 },
      { run_id: "e", kind: "sync", status: "failed", finished_at: "2026-01-02T00:00:00Z" },
    ],
  };
  const found = await rowsOver(tables, "select * from run_trends order by run_id");
  expect(found[0]).toEqual({
    ...{ run_id: "a", kind: "sync", schedule: "nightly", day: "2026-01-01", status: "completed" },
    ...{ started_at: "2026-01-01T23:59:59.500000Z", duration_s: 2.5, links: 7, created: 4, updated: 3 },
    ...{ removed: 3, quarantined: 1, failed: 2, calls: 9, pages: 8, restarts: 1, paused_s: 1.5 },
    rows_per_s: 4,
  });
  expect(found.slice(1).map(({ duration_s, rows_per_s, day }) => [duration_s, rows_per_s, day])).toEqual([
    [0.5, 0, "2026-01-01"],
    [0, null, "2026-01-01"],
    [0.5, null, "2026-01-01"],
    [null, null, null],
  ]);
});
