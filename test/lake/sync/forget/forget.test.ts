import { afterEach, beforeEach, expect, test } from "vitest";
import { schemaActions, type TableSpec } from "../../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../../src/lake/lake.js";
import { forget, rowsOfPerson } from "../../../../src/lake/sync/forget/forget.js";
import { isForgotten } from "../../../../src/lake/sync/forget/forgotten.js";
import { addOf, writeRows } from "../../../../src/lake/tables/parquet-file.js";
import { transactionChanges } from "../../../../src/lake/tables/transactions.js";
import { TABLES } from "../../../../src/tables.js";
import { openTestLake, type TestLake } from "../../../helpers/lake/delta-lake.js";

const ASKED = { reason: "asked for it", by: "privacy" };

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

async function append(spec: TableSpec, ...rows: Readonly<Record<string, unknown>>[]): Promise<void> {
  const added = await writeRows(lake, spec, "test", rows);
  await lake
    .table(spec.name)
    .commit((now) => [...schemaActions(spec, now, 0), ...added.map((file) => ({ add: addOf(file) }))]);
}

const rowsOfX = () => rowsOfPerson(lake, TABLES, "fp_x");
const feedNow = () => lake.table(transactionChanges.name).snapshot();

// A sync that began between the look for runs and the tombstone brought the rows back.
test("what runs is looked for once syncs leave the person out, and erases nothing where there is some", async () => {
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  const before = await rowsOfX();
  let wasLeftOut = false;
  const assertFree = async () => {
    wasLeftOut = isForgotten(await feedNow(), "fp_x");
    throw new Error("a sync has not ended");
  };
  await expect(forget(lake, TABLES, "fp_x", { ...ASKED, assertFree })).rejects.toThrow("has not ended");
  expect(wasLeftOut).toBe(true);
  expect(await rowsOfX()).toEqual(before);
});
