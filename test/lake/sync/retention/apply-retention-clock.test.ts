import { beforeEach, expect, test } from "vitest";
import { yearsEarlier } from "../../../../src/domain/tables/retention.js";
import { openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { applyRetention } from "../../../../src/lake/sync/retention/apply-retention.js";
import { cipReports } from "../../../../src/lake/tables/cip.js";
import { transactionChanges } from "../../../../src/lake/tables/transactions.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { writeOnDays } from "../../../helpers/lake/log/written-days.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

const AHEAD = Date.parse("2199-06-30T12:00:00Z");
const RULES = { "cip-identity": 5, "cip-results": 5, transactions: 1 };
const retain = () => applyRetention(RULES, () => AHEAD)(lake, { dryRun: false });

/** Over by the clock, and by no day on which the lake was written. */
const RECENT = "2190-01-01";

beforeEach(async () => {
  await appendRows(lake, transactionChanges, [
    { link_id: "l", transaction_id: "t", run_id: "r", date: RECENT },
  ]);
  const closed = { account_closed_on: RECENT, checked_data_customer_name: "Ada", legal_hold: false };
  await appendRows(lake, cipReports, [
    { run_id: "r", fp_id: "p", asked_at: `${RECENT}T10:00:00Z`, ...closed },
  ]);
});

const rows = () =>
  readTables(lake, [transactionChanges, cipReports], async (sql) => {
    const [row] = await sql.few(`select (select count(*)::int from transaction_changes) as changes,
      (select count(checked_data_customer_name)::int from cip_reports) as reports`);
    return row;
  });

test("a clock that is ahead of the days on which the lake was written ends nothing, and says what it would have", async () => {
  await writeOnDays(lake, ["2100-03-04", "2199-06-30"]);
  expect(await retain()).toEqual([
    { class: "cip-identity", until: "2095-03-04", by_clock: "2194-06-30", tables: [] },
    { class: "cip-results", until: "2095-03-04", by_clock: "2194-06-30", tables: [] },
    { class: "transactions", until: "2099-03-04", by_clock: "2198-06-30", tables: [] },
  ]);
  expect(await rows()).toEqual({ changes: 1, reports: 1 });
});

test("the one day on which a lake was written counts as today", async () => {
  const [{ until, by_clock } = {}] = await retain();
  const today = new Date().toISOString().slice(0, 10);
  expect([until, by_clock]).toEqual([yearsEarlier(today, 5), "2194-06-30"]);
  expect(await rows()).toEqual({ changes: 1, reports: 1 });
});

test("once the lake was written on later days, it goes", async () => {
  await writeOnDays(lake, ["2199-06-29", "2199-06-30"]);
  const [identity, results] = await retain();
  expect(identity).not.toHaveProperty("by_clock");
  expect(results?.tables).toEqual([{ table: "cip_reports", rows: 1 }]);
  expect(await rows()).toMatchObject({ reports: 0 });
});
