import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exactPath, jsonFile, objectSize, parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import { sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { STRANGE_PATHS } from "../../helpers/lake/strange-paths.js";

const lake = eachTest(openTestLake);

/** Directories that a pattern would read as well, each with a file of the same name. */
const NEIGHBOURS = ["aXb", "aXXb", "b", "c", "x]y", "date=2001-01-01", "plain"];

test.each(STRANGE_PATHS)("below %j a file is read alone, with its own columns", async (strange) => {
  const columns = { link_id: "VARCHAR", type: "VARCHAR", date: "DATE" };
  const files = new Map<string, { parquet: string; json: string }>();
  for (const name of [...NEIGHBOURS, strange]) {
    const directory = join(lake.directory, name);
    await mkdir(directory, { recursive: true });
    const [parquet, json] = [join(directory, "f.parquet"), join(directory, "f.jsonl")];
    await writeFile(json, `${JSON.stringify({ link_id: name, type: "credit", date: "2026-01-02" })}\n`);
    await lake.duckdb.exclusive((sql) =>
      sql.run(`copy (select ${sqlText(name)} as link_id, 'credit' as type, date '2026-01-02' as date)
        to ${sqlText(parquet)} (format parquet)`),
    );
    files.set(name, { parquet, json });
  }
  const expected = [{ link_id: strange, type: "credit", date: "2026-01-02" }];
  const { parquet, json } = files.get(strange)!;
  for (const lines of [true, false]) {
    const source = jsonFile(json, { lines, columns, maximumObjectSize: 1_000 });
    expect(await lake.duckdb.exclusive((sql) => sql.rows(`from ${source}`))).toEqual(expected);
  }
  const source = `from ${parquetFiles([parquet])} select link_id, type, date`;
  expect(await lake.duckdb.exclusive((sql) => sql.rows(source))).toEqual(expected);
  const all = [...files.values()].map((file) => file.parquet);
  const each = `select link_id, file_index::integer as number from ${parquetFiles(all)} order by number`;
  expect(await lake.duckdb.exclusive((sql) => sql.rows(each))).toEqual(
    [...files.keys()].map((link_id, number) => ({ link_id, number })),
  );
});

test("a path that SQL can't name is refused with what to do", () => {
  expect(() => exactPath("/lakes/a\\b/c*/f.parquet")).toThrow(
    /both a backslash.*Give the lake, NIGHTLEDGER_HOME/,
  );
  expect(exactPath("/lakes/a\\b/f.parquet")).toBe("/lakes/a\\b/f.parquet");
});

test("buffers are as large as the largest object, and a megabyte at least", () => {
  expect(objectSize([10, 20])).toBe(1024 * 1024);
  expect(objectSize([5_000_000, 10])).toBe(5_001_024);
});
