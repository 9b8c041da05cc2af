import { readdir, rm } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DeltaTable, openTable } from "../../../src/lake/delta/delta-table.js";
import { type LakeQuery, openQuery } from "../../../src/lake/query/query.js";
import { eachTest } from "../../helpers/each-test.js";
import { addRows, createTable, FEED, openTestLake } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
let query: LakeQuery;
let table: DeltaTable;
let scratch: string;
beforeEach(async () => {
  scratch = `${lake.directory}-scratch`;
  query = openQuery(lake.store, { scratchDirectory: scratch });
  table = openTable(lake.store, "feed", lake.duckdb);
  await createTable(table, FEED);
});
afterEach(async () => {
  await query.close();
  await rm(scratch, { recursive: true, force: true });
});

async function addRow(sequence: number): Promise<void> {
  const add = await addRows(lake, "feed", `('a', ${sequence}, 1.5, '2026-01-02', null, true, 3)`);
  await table.commit(() => [{ add }]);
}

async function rowsOf(sql: string) {
  const rows: unknown[] = [];
  for await (const batch of query.query(sql)) rows.push(...batch);
  return rows;
}

const COUNT = "select count(*) as n from feed";
/** More rows than one batch has, so that its query is still going after the first. */
const LONG = "select feed.sequence from feed, range(50000)";

test("a commit between two queries is seen by the second, and does not end one that is still going", async () => {
  await addRow(1);
  const going = query.query(LONG);
  const first = await going.next();
  await addRow(2);
  expect(await rowsOf(COUNT)).toEqual([{ n: 2 }]);
  let rows = first.value?.length ?? 0;
  for await (const batch of going) rows += batch.length;
  expect(rows).toBe(50_000);
});

test("queries at once over the same versions each get their rows, and one that fails leaves the others alone", async () => {
  await addRow(1);
  const sql = "select error('no') from feed";
  const both = await Promise.allSettled([rowsOf(COUNT), rowsOf(sql), rowsOf(LONG), rowsOf(COUNT)]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(await rowsOf(COUNT)).toEqual([{ n: 1 }]);
});

// Of two that came at once after a commit, the first closed the engine that the second had just taken.
test("queries at once around commits leave nothing behind", async () => {
  for (let sequence = 1; sequence <= 5; sequence += 1) {
    const before = [rowsOf(COUNT), rowsOf(COUNT)];
    await addRow(sequence);
    const all = await Promise.all([...before, rowsOf(COUNT), rowsOf(COUNT), rowsOf(COUNT)]);
    expect(all.slice(2)).toEqual(Array(3).fill([{ n: sequence }]));
  }
  await query.close();
  expect(await readdir(scratch)).toEqual([]);
});

test("a table that can't be read fails its query, and is read again by the next", async () => {
  await addRow(1);
  const [path = ""] = (await table.snapshot()).files.keys();
  const body = await lake.store.get(`feed/${path}`);
  await lake.store.delete(`feed/${path}`);
  await expect(rowsOf("select * from feed")).rejects.toThrow(/is missing, though a table refers to it/);
  await lake.store.put(`feed/${path}`, body ?? "");
  expect(await rowsOf(COUNT)).toEqual([{ n: 1 }]);
});
