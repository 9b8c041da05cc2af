import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { type InputRow, readRows } from "../../../src/intake/files/rows.js";
import type { InputFile } from "../../../src/intake/files/text.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const temp = eachFile(tempDirectory);

interface Read {
  readonly headers: [readonly string[], number][];
  readonly rows: InputRow[];
  /** What stopped the reading. */
  readonly error: unknown;
}

async function readAll(
  content: string | Uint8Array,
  name = "rows.csv",
  limits: Partial<InputFile> = {},
): Promise<Read> {
  const path = join(temp.path, name);
  await writeFile(path, content);
  const read: Read = { headers: [], rows: [], error: undefined };
  const file = { path, name: "list", option: "--list", ...limits };
  try {
    const rows = readRows(file, (columns, line) => read.headers.push([columns, line]));
    for await (const row of rows) read.rows.push(row);
    return read;
  } catch (error) {
    return { ...read, error };
  }
}

const valuesOf = ({ rows }: Read) => rows.map(({ line, values }) => [line, Object.fromEntries(values)]);

describe("rows of a file", () => {
  it("of CSV are texts by column, each with the line that it starts at", async () => {
    const read = await readAll('\ufeff\r\na,b\r\n1,\r\n\r\n"x\r\ny",2\r\n3,4');
    expect(read.headers).toEqual([[["a", "b"], 2]]);
    expect(valuesOf(read)).toEqual([
      [3, { a: "1", b: "" }],
      [5, { a: "x\r\ny", b: "2" }],
      [7, { a: "3", b: "4" }],
    ]);
  });

  it("are none where a spreadsheet ends its columns with empty cells, and an old program its file", async () => {
    const csv = await readAll('\r\n,,\r\na,b,c\r\n1,2,3\r\n,,\r\n"","",""\r\n4,,\r\n,\r\n\x1a');
    expect(csv.headers).toEqual([[["a", "b", "c"], 3]]);
    expect(valuesOf(csv)).toEqual([
      [4, { a: "1", b: "2", c: "3" }],
      [7, { a: "4", b: "", c: "" }],
    ]);
    expect((await readAll('{"a":1}\n\x1a', "rows.jsonl")).rows).toHaveLength(1);
  });

  it("of JSONL are JSON values by field, and a header is asked for nowhere", async () => {
    const read = await readAll('\n{"a":1,"b":null}\r\n  \n{"__proto__":"x"}', "rows.txt");
    expect(read.headers).toEqual([]);
    expect(read.rows.map(({ form }) => form)).toEqual(["jsonl", "jsonl"]);
    expect(read.rows.map(({ line, values }) => [line, [...values]])).toEqual([
      [
        2,
        [
          ["a", 1],
          ["b", null],
        ],
      ],
      [4, [["__proto__", "x"]]],
    ]);
  });

  it("tell a number that arrives changed from a text and from one that does not", async () => {
    const lines = ['{"a":1234567890.1234567}', '{"a":"1234567890.1234567"}', '{"a":0.1}'];
    const { rows } = await readAll(lines.join("\n"), "rows.jsonl");
    expect(rows.map(({ losesDigits }) => losesDigits)).toEqual([true, false, false]);
  });

  it("of the wrong form have a problem and no value; the rows around them are read", async () => {
    const csv = await readAll("a,b\n1,2\n3\n4,5\n");
    expect(csv.rows.map(({ problems }) => problems)).toEqual([
      [],
      [{ line: 3, column: null, code: "column_count", rule: "has 1 columns, the header has 2" }],
      [],
    ]);
    expect(csv.rows[1]?.values.size).toBe(0);
    const jsonl = await readAll('{"a":1}\n[]\n', "rows.ndjson");
    expect(jsonl.rows[1]).toMatchObject({ line: 2, problems: [{ line: 2, column: null }] });
  });

  it("whose object repeats a key or is nested too deep have a problem and no value", async () => {
    const deep = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const lines = ['{"a":1,"b":{"c":1,"c":2}}', '{"a":1,"a":1}', deep(200), deep(201), deep(100_000)];
    const { rows } = await readAll(lines.join("\n"), "rows.jsonl");
    expect(rows.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ["repeated_key"],
      ["repeated_key"],
      [],
      ["too_deep"],
      ["too_deep"],
    ]);
    expect(rows.map(({ values }) => values.size)).toEqual([0, 0, 1, 0, 0]);
  });

  it.each(["rows.jsonl", "rows.csv", "rows"])(
    "are not taken from a pipe, %s, which could be read only once",
    async (name) => {
      const path = join(temp.path, `pipe-${name}`);
      await promisify(execFile)("mkfifo", [path]);
      const rows = readRows({ path, name: "list", option: "--list" }, () => undefined);
      await expect(rows.next()).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(/is not a regular file\. Nothing was started\..* to --list\.$/),
      });
    },
  );

  it.each([
    ["a quote inside a field", 'a\n1\n2\nx"y\n', "line 4: a quote is in the middle"],
    ["text behind a quote", 'a\n1\n2\n"x"y\n', "line 4: text follows a closing quote"],
    ["a quote without an end", 'a\n1\n2\n"x\n', "a quote is opened and never closed"],
  ])("before %s are given, and the file is refused with the line", async (_, content, words) => {
    const read = await readAll(content);
    expect(read.rows.map(({ line }) => line)).toEqual([2, 3]);
    expect(read.error).toBeInstanceOf(InputError);
    expect(String(read.error)).toContain(`list ${join(temp.path, "rows.csv")} `);
    expect(String(read.error)).toContain(words);
    expect(String(read.error)).toContain("Nothing was started.");
  });

  it.each([
    ["none", ""],
    ["white space only", " \n\t\r\n \n"],
  ])("of a file with %s are none, and there is no header", async (_, content) => {
    const read = await readAll(content);
    expect([read.headers, read.rows, read.error]).toEqual([[], [], undefined]);
  });

  it("longer than 16 MB are refused", async () => {
    const long = "x".repeat(17 * 1024 * 1024);
    const csv = await readAll(`a\n1\n"${long}\n`);
    expect(String(csv.error)).toContain("is longer than 16 MB; perhaps a quote is never closed");
    const jsonl = await readAll(`{"a":1}\n{"a":"${long}`, "rows.jsonl");
    expect(String(jsonl.error)).toContain("line 2 is longer than 16 MB");
    expect(jsonl.rows).toHaveLength(1);
  });

  it("with a text of nine million signs are read", async () => {
    const body = `${"9".repeat(20)}${"x".repeat(9_000_000)}`;
    const { rows, error } = await readAll(`{"id":"a","body":"${body}","n":1.5}\n`, "rows.jsonl");
    expect([rows.map(({ losesDigits }) => losesDigits), error]).toEqual([[false], undefined]);
  });

  it.each([
    ["PK\x03\x04\x14\0\x06", "a spreadsheet (.xlsx, .ods) or another ZIP archive"],
    ["\xd0\xcf\x11\xe0\xa1\xb1", "a spreadsheet (.xls, or .xlsx with a password)"],
    ["\xff\xfea\0", "UTF-16 or UTF-32"],
    ["\0\0\xfe\xff\0\0\0a", "UTF-16 or UTF-32"],
    ["a\0,\0b\0", "UTF-16 or UTF-32"],
    ["%PDF-1.7", "a document or a picture"],
    ["{\\rtf1", "a document or a picture"],
    ["\x1f\x8b\x08\0", "compressed"],
    ["\x28\xb5\x2f\xfd\x04", "compressed"],
    ["PAR1\x15\x04", "a Parquet, Arrow, Avro or SQLite file"],
    ["\xef\xbb\xbf\r\n<!DOCTYPE html>", "HTML or XML, such as a login page"],
    ["<?xml version", "HTML or XML, such as a login page"],
    ['[{"a":1},\n{"a":2}]', "one JSON value over all lines"],
    ['[\n  {\n "a": 1', "one JSON value over all lines"],
    ['{\r\n  "a": 1', "one JSON value over all lines"],
  ])("%j are of a file of another form, which is named, whatever it is called", async (content, form) => {
    for (const name of ["rows.csv", "rows.jsonl", "rows.xlsx"]) {
      const { rows, error } = await readAll(Buffer.from(content, "latin1"), name);
      expect(rows).toEqual([]);
      expect(String(error)).toContain(`${name} is ${form}. Nothing was started. Save it as CSV UTF-8`);
    }
  });

  it.each(["PK,b\n1,2\n", "Obj,b\n1,2\n", "{}\n[1]\n"])("%j are of no other form", async (content) =>
    expect((await readAll(content, "rows")).error).toBeUndefined(),
  );

  it("under a name with an invisible character are refused: it is none of the known ones", async () => {
    const { error } = await readAll("a,b\u200b\n1,2\n");
    expect(String(error)).toContain("line 1: a column's name has an invisible character (U+200B)");
  });

  it("of a file larger than it may be are not read", async () => {
    const { rows, error } = await readAll("a\n1\n", "rows.csv", { mostBytes: 3 });
    expect([rows.length, String(error)]).toEqual([
      0,
      expect.stringContaining("is larger than 3 bytes. Nothing was started. Split it."),
    ]);
  });
});
