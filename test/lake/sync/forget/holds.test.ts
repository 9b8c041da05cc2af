import { expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { heldUsers, setHold } from "../../../../src/lake/sync/forget/holds.js";
import { holds } from "../../../../src/lake/tables/erasures.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

const WHO = { reason: "case 1", by: "counsel" };

test("a hold that is set after a machine with a clock ahead has lifted one is in force, and so is its removal", async () => {
  const fp_id = "p";
  const row = { fp_id, state: "lifted", reason: "r", recorded_by: "x", recorded_at: "2199-01-02T03:04:05Z" };
  await appendRows(lake, holds, [row]);
  await setHold(lake, ["p", "other"], "held", WHO);
  expect(await heldUsers(lake)).toEqual(new Set(["p", "other"]));
  await setHold(lake, ["p"], "lifted", WHO);
  expect(await heldUsers(lake)).toEqual(new Set(["other"]));
  const rows = await readTables(lake, [holds], (sql) =>
    sql.rows(`select state, (recorded_at - '2199-01-02T03:04:05Z'::timestamptz)::varchar as after from holds
      where fp_id = 'p' order by recorded_at`),
  );
  expect(rows.map(({ state, after }) => [state, after])).toEqual([
    ["lifted", "00:00:00"],
    ["held", "00:00:00.000001"],
    ["lifted", "00:00:00.000002"],
  ]);
});
