import { expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { latestRuns } from "../../../src/intake/runs/latest-runs.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();
const run = (run_id: string, days: number, users: number, told: object) => ({
  ...{ run_id, job_id: `job of ${run_id}`, kind: run_id.split("-")[0], status: "failed", users },
  ...{ started_at: ago(days), finished_at: ago(days), ...told },
});
const SOME = { status: "completed_with_failures", reason: "some_failed", failed: 1 };
const KEY = { reason: "credentials_refused" };
const DONE = { status: "completed" };
const link = (run_id: string, days: number, link_id: string, status: string) => ({
  ...{ run_id, link_id, fp_id: `user of ${link_id}`, status, finished_at: ago(days) },
});
const failed = (run_id: string, days: number, owner: string, stream: string | null) => ({
  ...{ run_id, owner, stream, reason: "no", failed_at: ago(days) },
});

// One failed run that somebody had started was red for ever beside nightly ones, and a good one hid what failed in others.
test("a problem is open until its links, its job or its kind went well, or its person was forgotten", async () => {
  const lake = await lakeOfRows({
    runs: [
      // A clock that was ahead, which nothing waits for.
      run("sync-dated_ahead", -10, 100, DONE),
      run("sync-link_read_since", 12, 1, SOME),
      run("sync-link_still_failed", 11, 1, SOME),
      run("sync-user_read_since", 10, 1, SOME),
      run("sync-user_forgotten", 9, 1, SOME),
      run("sync-more_users", 8, 100, KEY),
      run("sync-fewer_users", 7, 3, KEY),
      run("sync-retried", 6, 500, KEY),
      run("sync-retry", 5, 50, { ...SOME, options: '{"retryOf":"sync-retried"}' }),
      run("sync-earlier_night", 2, 40, { ...SOME, schedule: "nightly" }),
      run("sync-night", 1, 40, { ...SOME, schedule: "nightly" }),
      run("cip-of_one", 6.5, 1, KEY),
      run("cip-of_all", 5.9, 5, { ...DONE, schedule: "weekly" }),
      // They did not begin, so nothing tells their users or job.
      run("kyb-of_no_file", 4, 0, { users: null, job_id: "", reason: "not_begun", schedule: "a" }),
      run("kyb-neither", 3.5, 0, { users: null, job_id: "", reason: "not_begun", schedule: "b" }),
      run("kyb-of_all", 3, 5, { ...DONE, schedule: "c" }),
      run("import-of_a_file", 7, 1, KEY),
      run("import-of_another", 6, 9, { ...DONE, schedule: "hourly" }),
    ],
    link_syncs: [
      link("sync-link_read_since", 12, "l1", "failed"),
      link("sync-link_still_failed", 11, "l2", "failed"),
      link("sync-earlier_night", 2, "l1", "unchanged"),
      link("sync-earlier_night", 2, "l3", "unchanged"),
      link("sync-earlier_night", 2, "l4", "failed"),
      link("sync-night", 1, "l4", "failed"),
      link("sync-dated_ahead", -10, "l4", "synced"),
    ],
    run_failures: [failed("sync-user_read_since", 10, "user of l3", "accounts")],
  });
  try {
    const found = await latestRuns(lake.query);
    expect(found.map(({ run_id, is_open }) => `${run_id}${is_open ? " open" : ""}`)).toEqual([
      "sync-night open",
      "kyb-of_all",
      "kyb-neither open",
      "kyb-of_no_file open",
      "sync-retry",
      "cip-of_all",
      "import-of_another",
      "cip-of_one",
      "import-of_a_file open",
      "sync-more_users open",
      "sync-link_still_failed open",
    ]);
  } finally {
    await lake.release();
  }
});
