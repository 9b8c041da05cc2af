import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RowSpool } from "../../../../src/lake/bulk/pack/pack-files.js";
import type { SqlRow } from "../../../../src/lake/sql/duckdb-session.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";

const COLUMNS = [
  { name: "id", type: "VARCHAR" },
  { name: "grade", type: "INTEGER" },
  { name: "at", type: "TIMESTAMPTZ" },
] as const;

const lake = eachTest(openTestLake);

async function read(spool: RowSpool): Promise<SqlRow[]> {
  const found: SqlRow[] = [];
  await spool.read(async (rows) => {
    found.push(...rows);
  });
  return found;
}

test("rows come sorted, awkward texts as they were", async () => {
  const spool = new RowSpool(lake.duckdb, { columns: COLUMNS, order: ["grade", "id"] });
  await spool.add([
    { id: "b\u0000\"'\n🥐", grade: 2, at: "2026-01-02T03:04:05.000000Z" },
    { id: "\ud800", grade: 1, at: null },
    { id: "a", grade: 2 },
  ]);
  expect(await read(spool)).toEqual([
    { id: "\ufffd", grade: 1, at: null },
    { id: "a", grade: 2, at: null },
    { id: "b\u0000\"'\n🥐", grade: 2, at: "2026-01-02T03:04:05.000000Z" },
  ]);
  await spool.release();
  expect(await readdir(lake.duckdb.scratchDirectory)).toEqual([]);
});

test("without an order rows stay in theirs, many as they may be, and give the same bytes again", async () => {
  const ids = Array.from({ length: 6_000 }, (_, index) => `id ${(index * 7_919) % 6_000}`);
  const files = [];
  for (const name of ["one", "two"]) {
    const spool = new RowSpool(lake.duckdb, { columns: COLUMNS });
    for (const id of ids) await spool.add([{ id, grade: 1 }]);
    const path = join(lake.duckdb.scratchDirectory, `${name}.parquet`);
    expect(await spool.writeParquet(path)).toBe(6_000);
    if (name === "one") expect((await read(spool)).map(({ id }) => id)).toEqual(ids);
    await spool.release();
    files.push(await readFile(path));
  }
  expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(true);
});

test("no rows make a file of no rows", async () => {
  const spool = new RowSpool(lake.duckdb, { columns: COLUMNS });
  await lake.duckdb.makeScratch();
  expect(await spool.writeParquet(join(lake.duckdb.scratchDirectory, "none.parquet"))).toBe(0);
  expect(await read(spool)).toEqual([]);
  await spool.release();
});
