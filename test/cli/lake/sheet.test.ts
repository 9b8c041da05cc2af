import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeSheet } from "../../../src/cli/lake/sheet.js";
import type { LakeQuery } from "../../../src/lake/query/query.js";
import { runHere } from "../../helpers/command/command-here.js";
import { readSheet, unzipped } from "../../helpers/query/sheet-reader.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-sheet-"));
  await mkdir(join(directory, "lake", "_nightledger"), { recursive: true });
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const query = (sql: string) =>
  runHere({ directory, env: { NIGHTLEDGER_LAKE: "lake" } }, ["query", sql, "--output", "rows.xlsx"]);
const written = () => readFile(join(directory, "rows.xlsx"));

test.each([
  ["12.50::decimal(38,9)", "12.5", "number"],
  ["-0.000000001::decimal(38,9)", "-1e-9", "number"],
  ["123456789012345.000::decimal(38,9)", "123456789012345", "number"],
  ["123456789012345.6::decimal(38,9)", "123456789012345.600000000", "text"],
  ["1234567890123456", "1234567890123456", "text"],
  ["9007199254740993", "9007199254740993", "text"],
  ["1200000000000000000000::hugeint", "1.2e+21", "number"],
  ["0.1::double + 0.2", "0.30000000000000004", "number"],
  ["'nan'::double", "NaN", "text"],
  ["date '2026-11-21'", "46347", "date"],
  ["date '1900-03-01'", "61", "date"],
  ["date '1900-02-28'", "1900-02-28", "text"],
  ["timestamptz '2026-11-21 02:15:00.000001+00'", "2026-11-21T02:15:00.000001Z", "text"],
  ["true", "1", "boolean"],
  ["'=1+1'", "=1+1", "text"],
  ["'007'", "007", "text"],
  ["' <&> _x000D_' || chr(13) || chr(10) || chr(1) || chr(65535)", " <&> _x000D_\r\n\u0001\uffff", "text"],
  ["interval 2 days", "2 days", "text"],
  ["{'n': 1.50::decimal(9,2), 'l': [1, 2]}", '{"n":"1.50","l":[1,2]}', "text"],
])("%s is %s in a cell of a %s", async (sql, value, kind) => {
  expect(await query(`select 1 as first, ${sql} as shown`)).toMatchObject({ code: 0 });
  const [header, row] = readSheet(await written());
  expect([header?.A?.value, header?.B?.value]).toEqual(["first", "shown"]);
  const types = { number: [], date: ["s"], text: ["t"], boolean: ["t"] }[kind] ?? [];
  expect(Object.keys(row?.B ?? {}).filter((name) => name !== "value")).toEqual(types);
  // A reader decodes escapes from the left, once.
  expect(row?.B).toMatchObject({ value, ...(kind === "text" && { t: "inlineStr" }) });
  if (kind === "date")
    expect(unzipped(await written(), "xl/styles.xml")).toContain('formatCode="yyyy-mm-dd"');
});

test("null is no cell and an empty text is one; without rows there is a header alone", async () => {
  expect((await query("select 1 as a, null::varchar as b, '' as c")).stderr).toBe(
    "wrote 1 row to rows.xlsx\n",
  );
  expect(readSheet(await written())[1]).toEqual({ A: { value: "1" }, C: { t: "inlineStr", value: "" } });
  expect((await query("select 1 as a, 2 as b where false")).stderr).toBe("wrote 0 rows to rows.xlsx\n");
  expect(readSheet(await written())).toHaveLength(1);
});

test("a text that no cell holds is refused, and the file stays as it was", async () => {
  await writeFile(join(directory, "rows.xlsx"), "before");
  const { code, stderr } = await query("select repeat('x', 32768) as t from range(5000)");
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/can't hold a text of .* Write \.csv or \.parquet/),
  ]);
  expect(await written()).toEqual(Buffer.from("before"));
  expect(await readdir(directory)).toEqual(["lake", "rows.xlsx"]);
  expect(await query("select repeat('x', 32767) as t")).toMatchObject({ code: 0 });
});

test("as many rows as a sheet holds are written, and one more is refused", async () => {
  const lakeOf = (rows: number): Pick<LakeQuery, "query"> => ({
    async *query(_sql, { began } = {}) {
      began?.([{ name: "a", type: "BOOLEAN" }]);
      for (let left = rows; left > 0; left -= 1) yield [{ a: true }];
    },
  });
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  expect(await writeSheet(lakeOf(3), "", nowhere(), 3)).toBe(3);
  await expect(writeSheet(lakeOf(4), "", nowhere(), 3)).rejects.toThrow("can't hold more than 3 rows");
});
