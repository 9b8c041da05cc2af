import { beforeEach, expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { setHold } from "../../../../src/lake/sync/forget/holds.js";
import { applyRetention } from "../../../../src/lake/sync/retention/apply-retention.js";
import { cipReports, cipTaxIdSources } from "../../../../src/lake/tables/cip.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { heardTime, LATE } from "../../../helpers/lake/log/heard-time.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));
beforeEach(async () => {
  await heardTime(lake, LATE);
});

const NOW = Date.parse("2026-06-30T12:00:00Z");
const RULES = { "cip-identity": 5, "cip-results": 6 };

/** A report of a day, of a person whose account was closed on a day. */
async function report(
  run_id: string,
  fp_id: string,
  made: string,
  closed: string | null,
  legal_hold = false,
) {
  const asked_at = `${made}T10:00:00Z`;
  const result = { result: "clear", checked_data_customer_name: "Ada", asked: 1 };
  const row = { run_id, fp_id, asked_at, ...result, account_closed_on: closed, legal_hold };
  await appendRows(lake, cipReports, [row]);
  await appendRows(lake, cipTaxIdSources, [{ run_id, fp_id, position: 1, source: "a" }]);
}

const left = () =>
  readTables(lake, [cipReports, cipTaxIdSources], async (sql) => {
    const rows =
      await sql.rows(`select r.fp_id || ' ' || r.run_id as id, checked_data_customer_name as name, result,
        asked::varchar as asked, count(source)::int as sources
      from cip_reports r left join cip_tax_id_sources using (run_id, fp_id) group by all order by id`);
    return rows.map(({ id, name, result, asked, sources }) =>
      [id, name ?? "-", result ?? "-", asked, sources].join(" "),
    );
  });

test.each([
  [
    "an open account keeps identity, and results go six years after they were made",
    "2020-06-30",
    null,
    "p r Ada - 1 0",
  ],
  ["a day too early", "2020-07-01", null, "p r Ada clear 1 1"],
  ["identity goes five years after the account was closed", "2021-05-01", "2021-06-30", "p r - clear 1 1"],
  ["a day too early for identity", "2021-05-01", "2021-07-01", "p r Ada clear 1 1"],
])("%s", async (_, made, closed, expected) => {
  await report("r", "p", made, closed);
  await applyRetention(RULES, () => NOW)(lake, { dryRun: false });
  expect(await left()).toEqual([expected]);
});

test("a report of which both are over goes as a whole; each table's count is recorded under its rule", async () => {
  await report("r", "p", "2020-01-01", "2021-01-01");
  const counted = await applyRetention(RULES, () => NOW)(lake, { dryRun: true });
  expect(await applyRetention(RULES, () => NOW)(lake, { dryRun: false })).toEqual(counted);
  expect(counted).toEqual([
    { class: "cip-identity", until: "2021-06-30", tables: [] },
    {
      ...{ class: "cip-results", until: "2020-06-30" },
      tables: [
        { table: "cip_reports", rows: 1 },
        { table: "cip_tax_id_sources", rows: 1 },
      ],
    },
  ]);
  expect(await left()).toEqual([]);
});

test("the newest report says whether an account is closed, and who is under a hold loses nothing", async () => {
  await report("r1", "reopened", "2021-01-01", "2021-01-01");
  await report("r2", "reopened", "2026-01-01", null);
  await report("r1", "roster", "2020-01-01", "2020-01-01");
  await report("r2", "roster", "2020-02-01", "2020-01-01", true);
  await report("r1", "lake", "2020-01-01", "2020-01-01");
  await setHold(lake, ["lake"], "held", { reason: "case 1", by: "counsel" });
  const before = await left();
  await applyRetention(RULES, () => NOW)(lake, { dryRun: false });
  expect(await left()).toEqual(before);
});
