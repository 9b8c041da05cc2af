import { beforeEach, expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { openQuery } from "../../../src/lake/query/query.js";
import { eachTest } from "../../helpers/each-test.js";
import { addRows, COLUMNS, createTable, FEED, openTestLake, PLAIN } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
const query = eachTest(() => openQuery(lake.store, { scratchDirectory: lake.duckdb.scratchDirectory }));
beforeEach(async () => {
  await createTable(openTable(lake.store, "feed", lake.duckdb), FEED);
});

async function rowsOf(sql: string) {
  const rows: unknown[] = [];
  for await (const batch of query.query(sql)) rows.push(...batch);
  return rows;
}

test("decimals, big numbers, days and instants keep every digit", async () => {
  const add = await addRows(
    lake,
    "plain",
    `('link', 9007199254740993, 123456789012345678.1234567890, '2026-01-02', '2026-01-02 03:04:05.000001+02', true, 3),
     ('link', 2, -0.1, null, null, false, null)`,
  );
  await openTable(lake.store, "plain", lake.duckdb).commit(() => [...creationOf(PLAIN, 1), { add }]);
  expect(await rowsOf("select * from plain order by sequence desc")).toEqual([
    {
      link_id: "link",
      sequence: "9007199254740993",
      amount: "123456789012345678.1234567890",
      date: "2026-01-02",
      at: "2026-01-02T01:04:05.000001Z",
      pending: true,
      generation: 3,
    },
    {
      link_id: "link",
      sequence: 2,
      amount: "-0.1000000000",
      date: null,
      at: null,
      pending: false,
      generation: null,
    },
  ]);
});

test("a table without files is empty but has its columns", async () => {
  expect(await rowsOf("select * from feed")).toEqual([]);
  const described = await rowsOf("describe feed");
  expect(described).toMatchObject(COLUMNS.map(({ name }) => ({ column_name: name })));
});

test("nested values and those that JSON lacks come as JSON", async () => {
  const sql = `select {'a': 1.50::decimal(4,2), 'b': [1, null]} as s, map {'k': 1::bigint} as m, 'nan'::double as f,
    timestamp '1969-12-31 23:59:59.5' as t, timestamptz 'infinity' as i, [1, 2]::int[2] as arr`;
  expect(await rowsOf(sql)).toEqual([
    {
      s: { a: "1.50", b: [1, null] },
      m: { k: 1 },
      f: "NaN",
      t: "1969-12-31T23:59:59.500000",
      i: "infinity",
      arr: [1, 2],
    },
  ]);
});

test("the tables are listed with their version, files, rows and bytes", async () => {
  const add = await addRows(
    lake,
    "feed",
    "('a', 1, 1, null, null, null, null), ('a', 2, 1, null, null, null, null)",
  );
  await openTable(lake.store, "feed", lake.duckdb).commit(() => [{ add }]);
  const columns = COLUMNS.map((column) => ({ ...column, description: null }));
  expect(await query.listTables()).toEqual([
    { table: "feed", version: 1, files: 1, rows: 2, bytes: add.size, columns },
  ]);
});

test.each([
  ["selec 1", /refused.*syntax error/s],
  ["select nothing from feed", /refused.*nothing/s],
  ["select 'x'::integer", /refused.*Could not convert/s],
  ["", /empty/],
  ["create table t (a int)", /must be a single statement that reads/],
  ["copy feed to '/tmp/never.csv'", /must be a single statement that reads/],
  ["explain analyze copy feed to '/tmp/never.csv'", /must be a single statement that reads/],
  ["select 1; select 2", /must be a single statement that reads/],
])("%j is refused as wrong input", async (sql, message) => {
  const failure = await rowsOf(sql).catch((error) => error);
  expect(failure.name).toBe("InputError");
  expect(failure.message).toMatch(message);
});

test("rows are streamed, and an iteration that stops early frees its connection", async () => {
  let batches = 0;
  for await (const batch of query.query("select range as n from range(1000000)")) {
    expect(batch.length).toBeLessThanOrEqual(2048);
    batches += 1;
    if (batches === 3) break;
  }
  expect(await rowsOf("select 1 as one")).toEqual([{ one: 1 }]);
});
