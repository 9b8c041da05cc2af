import { beforeEach, expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { applyRetention } from "../../../../src/lake/sync/retention/apply-retention.js";
import { cipReports } from "../../../../src/lake/tables/cip.js";
import { runs } from "../../../../src/lake/tables/runs.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { heardTime } from "../../../helpers/lake/log/heard-time.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

const AHEAD = Date.parse("2199-06-30T12:00:00Z");
const RULES = { "cip-identity": 5, "cip-results": 5, transactions: 1 };

/** Adds a report of an account that was closed in 1970; it came at a time by the clock of its machine. */
async function came(run_id: string, asked_at: string): Promise<void> {
  const closed = { account_closed_on: "1970-01-01", checked_data_customer_name: "Ada", legal_hold: false };
  await appendRows(lake, cipReports, [{ run_id, fp_id: run_id, asked_at, ...closed }]);
}

beforeEach(() => came("old", "2190-01-01T10:00:00Z"));

/** What rules end, and what is left, with a clock that is years ahead of the days on which anything came. */
async function retain() {
  const report = await applyRetention(RULES, () => AHEAD)(lake, { dryRun: false });
  const left = await readTables(lake, [cipReports], (sql) =>
    sql.rows("select run_id from cip_reports where checked_data_customer_name is not null order by 1"),
  );
  return { until: report.map(({ until }) => until), left: left.map(({ run_id }) => run_id) };
}

test("where no run has heard the time from the service, nothing goes", async () => {
  await appendRows(lake, runs, [{ run_id: "r", finished_at: "2199-06-30T12:00:00Z" }]);
  expect(await retain()).toEqual({ until: [null, null, null], left: ["old"] });
});

test.each([
  ["what the service said, though runs are dated years ahead", "2190-03-01T00:00:00Z", AHEAD],
  ["what the clock of a run said whose service is years ahead", AHEAD, "2190-03-01T00:00:00Z"],
])("today is no later than a day after %s", async (_, service, clock) => {
  await heardTime(lake, new Date(service).toISOString(), new Date(clock).toISOString());
  expect(await retain()).toEqual({ until: ["2185-03-02", "2185-03-02", "2189-03-02"], left: ["old"] });
});

test("what the lake has known for less than ninety days stays, whatever its machine has dated it", async () => {
  const ago = (days: number) => new Date(AHEAD - days * 86_400_000).toISOString();
  await heardTime(lake, ago(0));
  await came("new", ago(89));
  for (const [run_id, at, days] of [
    ["new, by a clock of 1970", "1970-01-01T00:00:00Z", 89],
    ["new, by a service of long ago", ago(89), 9_999],
    ["old, by a clock ahead", "2999-01-01T00:00:00Z", 91],
  ] as const) {
    await came(run_id, at);
    await appendRows(lake, runs, [{ run_id, service_time: ago(days) }]);
  }
  expect((await retain()).left).toEqual(["new", "new, by a clock of 1970", "new, by a service of long ago"]);
});
