import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { openQuery } from "../../../src/lake/query/query.js";
import { addOf, writeQuery, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { transactions } from "../../../src/lake/tables/transactions.js";
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

test("awkward texts of a row come back as they were; half a surrogate pair as U+FFFD", async () => {
  const texts = ["a\u0000b", '"\\', "\u2028\n", "🥐", "", "x".repeat(1_500_000)];
  const rows = [...texts, "\ud800"].map((payload, index) => ({ index, payload }));
  const [file] = await writeRows(lake, quarantine, "p", rows);
  if (file === undefined) throw new Error("no file");
  await lake.table("quarantine").commit(() => [...creationOf(quarantine, 0), { add: addOf(file) }]);
  const query = openQuery(base.store, { scratchDirectory: base.duckdb.scratchDirectory });
  const found: unknown[] = [];
  for await (const batch of query.query('select payload from quarantine order by "index"')) {
    found.push(...batch.map(({ payload }) => payload));
  }
  await query.close();
  expect(found).toEqual([...texts, "\ufffd"]);
});

test("statistics hold link_id, date and sequence only", async () => {
  const [file] = await writeRows(lake, transactions, "p", [
    { link_id: "b", date: "2026-01-02", sequence: "2", amount: "1.0000000001" },
    { link_id: "a", date: null, sequence: "70", amount: "2" },
  ]);
  expect(JSON.parse(file?.stats ?? "")).toMatchObject({
    numRecords: 2,
    minValues: { link_id: "a", date: "2026-01-02", sequence: 2 },
    maxValues: { link_id: "b", date: "2026-01-02", sequence: 70 },
    nullCount: { link_id: 0, date: 1, sequence: 0 },
  });
  expect(file?.stats).not.toContain("amount");
});

test("no rows make no file, every file has a name of its own, and scratch is left empty", async () => {
  expect(await writeRows(lake, quarantine, "p", [])).toEqual([]);
  expect(
    await writeQuery(lake, quarantine, "p", "select null::varchar as link_id where false"),
  ).toBeUndefined();
  const [one, two] = [
    ...(await writeRows(lake, quarantine, "p", [{ index: 1 }])),
    ...(await writeRows(lake, quarantine, "p", [{ index: 1 }])),
  ];
  expect(one?.path).toMatch(/^p-.*\.parquet$/);
  expect(one?.path).not.toBe(two?.path);
  expect(await readdir(lake.duckdb.scratchDirectory)).toEqual([]);
});
