import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { beforeEach, expect, test } from "vitest";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const SQL = `select 123456789012345678.1500::decimal(38,4) as amount, null::varchar as gone, '' as empty,
  'a,"b"' as text, '\\xFF'::blob as bytes, {'n': 1.50::decimal(9,2)} as inner
  union all select -0.1000, 'x;', 'y' || chr(9), '=1', null, null order by amount desc; -- the end`;

const temp = eachTest(tempDirectory);
beforeEach(async () => {
  await mkdir(join(temp.path, "lake", "_nightledger"), { recursive: true });
});

const query = (...args: readonly string[]) =>
  runHere({ directory: temp.path, env: { NIGHTLEDGER_LAKE: "lake" } }, ["query", ...args]);
const written = (name: string) => readFile(join(temp.path, name), "utf8");

const CSV = `amount,gone,empty,text,bytes,inner
123456789012345678.1500,,"","a,""b""",\\xFF,"{""n"":""1.50""}"
-0.1000,"x;","y\t",=1,,
`;

test("--csv and a file of CSV have the same exact text, and null is told from an empty text", async () => {
  const { code, stdout, stderr } = await query(SQL, "--csv");
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: CSV, stderr: "" });
  const said = await query(SQL, "--output", "rows.csv");
  expect(said).toEqual({ code: 0, stdout: "", stderr: "wrote 2 rows to rows.csv\n" });
  expect(await written("rows.csv")).toBe(CSV);
  expect((await stat(join(temp.path, "rows.csv"))).mode & 0o777).toBe(0o600);
});

test("a file of JSON lines has what --json has", async () => {
  await query(SQL, "--output", "rows.jsonl");
  const lines = (await written("rows.jsonl")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse((await query(SQL, "--json")).stdout));
});

test("a file of Parquet has every row, with the statement's types and digits", async () => {
  const sql = `${SQL.split(" order")[0]} union all select i, null, null, null, null, null from range(5000) r(i)`;
  const { code, stderr } = await query(sql, "--output", "rows.parquet");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "wrote 5002 rows to rows.parquet\n" });
  const file = await asyncBufferFromFile(join(temp.path, "rows.parquet"));
  const { children } = parquetSchema(await parquetMetadataAsync(file));
  expect(children.find(({ element }) => element.name === "amount")?.element).toMatchObject({
    converted_type: "DECIMAL",
    ...{ precision: 38, scale: 4 },
  });
  const rows = await parquetReadObjects({ file, compressors });
  expect(rows).toHaveLength(5_002);
  expect(rows[0]).toMatchObject({ gone: null, empty: "", text: 'a,"b"' });
});

test("a result without rows is a header alone", async () => {
  const none = "select 1 as a, 2 as b where false";
  expect((await query(none, "--csv")).stdout).toBe("a,b\n");
  await query(none, "--output", "none.csv");
  expect(await written("none.csv")).toBe("a,b\n");
  expect((await query(none)).stdout).toBe("no rows\n");
});

test.each(["csv", "jsonl", "parquet"])("a file of %s that fails midway stays as it was", async (ending) => {
  const path = join(temp.path, `rows.${ending}`);
  await writeFile(path, "before");
  const sql = "select case when i = 9000 then error('broken') else i end as n from range(10000) r(i)";
  const { code, stderr } = await query(sql, "--output", path);
  expect(code).toBe(2);
  expect(stderr).toContain("broken");
  expect(await readFile(path, "utf8")).toBe("before");
  expect(await readdir(temp.path)).toEqual(["lake", `rows.${ending}`]);
});

test.each([
  ["rows.txt", /ends in none of \.csv, \.jsonl and \.parquet/],
  ["nowhere/rows.csv", /can't be written \(ENOENT\)/],
])("--output %s is refused before anything is read", async (path, words) => {
  const { code, stderr } = await query("select 1", "--output", path);
  expect(code).toBe(2);
  expect(stderr).toMatch(words);
});

test.each(["drop table x", "select 1; select 2", "copy (select 1) to 'x.csv'"])(
  "--output runs no statement but one that reads: %s",
  async (sql) => {
    expect((await query(sql, "--output", "rows.parquet")).code).toBe(2);
    expect(await readdir(temp.path)).toEqual(["lake"]);
  },
);
