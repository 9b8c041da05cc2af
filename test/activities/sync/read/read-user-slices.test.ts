import { beforeEach, expect, test } from "vitest";
import { commit } from "../../../../src/activities/sync/commit/commit.js";
import type { ReportRef } from "../../../../src/domain/sync/run/slice-work.js";
import type { UserProgress } from "../../../../src/domain/sync/user-reading.js";
import { TABLES } from "../../../../src/tables.js";
import { eachTest } from "../../../helpers/each-test.js";
import { queryRows } from "../../../helpers/query/query-rows.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const STREAM = "investment_transactions";

const bench = eachTest(() =>
  openActivityBench({
    population: { kind: "synthetic", users: 2, linksPerUser: 2, accountsPerLink: 1, rows: 130 },
    investments: 250,
  }),
);
beforeEach(async () => {
  const users = [...bench.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));
  await bench.freeze(users);
});

/** Reads until no user is open, as a run's workflow does. */
async function read(budgetMs: number) {
  const reports: ReportRef[] = [];
  let users: UserProgress[] = [];
  let fresh: { from: number; to: number } | null = { from: 0, to: 2 };
  let slice = 0;
  for (; users.length > 0 || fresh !== null; slice += 1) {
    const result = await bench.read({ slice, streams: [STREAM], budgetMs, users, fresh });
    if (result.report !== null) reports.push(result.report);
    if (fresh !== null) fresh = result.reached < fresh.to ? { from: result.reached, to: fresh.to } : null;
    expect(result.failed).toEqual([]);
    users = result.users.map(({ progress }) => progress);
  }
  return { slices: slice, reports };
}

test("a slice whose time is up is continued where it was: a slice costs at most one page again, and its look at the one before", async () => {
  bench.sandbox.setLatency(100);
  const { slices, reports } = await read(250);
  expect(slices).toBeGreaterThan(1);
  const requests = bench.sandbox.calls().by_operation.list_investment_transactions ?? 0;
  expect(requests).toBeGreaterThanOrEqual(4 * 5);
  expect(requests).toBeLessThanOrEqual(4 * 5 + 2 * (slices - 1));
  expect(bench.sandbox.calls().by_operation.list_bank_links).toBe(2);
  await bench.run(() =>
    commit(bench.deps, {
      ...{ runId: "run", chunk: 0, streams: [STREAM], full: false, removed: {}, reports },
      ...{ loaded: [], links: [], manifests: [], failed: [] },
    }),
  );
  const sql =
    "select count(*) as n, count(distinct investment_transaction_id) as ids, count(distinct link_id) as links";
  expect(
    await queryRows(bench.deps.lake.store, `${sql} from investment_transaction_changes`, { tables: TABLES }),
  ).toEqual([{ n: 1_000, ids: 1_000, links: 4 }]);
});
