import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownIdText } from "../../../src/api/file-fields.js";
import type { FrozenBulkRow } from "../../../src/domain/bulk/bulk-job.js";
import { judgeRows, withProblems } from "../../../src/intake/bulk/input-rows.js";
import { cipJob } from "../../../src/jobs/cip.js";
import { importJob } from "../../../src/jobs/import.js";
import type { AnyJob } from "../../../src/jobs/job.js";
import { vaultWriteJob } from "../../../src/jobs/vault-write.js";
import { userFieldsJob } from "../../helpers/bulk/user-fields-job.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);

async function judge(job: AnyJob, name: string, ...lines: readonly string[]) {
  const path = join(temp.path, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return judgeRows(job, path);
}

async function rowsOf({ rows }: { rows(): AsyncIterable<FrozenBulkRow> }) {
  const found: FrozenBulkRow[] = [];
  for await (const row of rows()) found.push(row);
  return found;
}

test("every invalid row is told by line, column, code and rule, and quotes no value", async () => {
  const judged = await judge(
    importJob,
    "rows.csv",
    "link_id,account_id,amount,date,transaction_id,transaction_type",
    "l1,a1,12.5,2026-01-31,t1,debit",
    "l1,a1,1e3,2026-02-30,t2,debit",
    "l1,,1,2026-01-01,t3,sold",
    "l1,a1,1,2026-01-01,t1,credit",
    "l1,a1",
  );
  expect(judged).toMatchObject({ total: 5, invalid: 4 });
  expect(judged.problems).toEqual([
    {
      line: 3,
      column: "amount",
      code: "not_amount",
      rule: "is not a decimal number of at most 18 digits and 10 decimals, such as -12.50",
    },
    {
      line: 3,
      column: "date",
      code: "not_date",
      rule: "is not an ISO 8601 date, YYYY-MM-DD, or with a time",
    },
    { line: 4, column: "account_id", code: "missing", rule: "is missing" },
    { line: 4, column: "transaction_type", code: "wrong_value", rule: "is neither debit nor credit" },
    {
      line: 5,
      column: "transaction_id",
      code: "repeated",
      rule: "is the same as in line 2",
      same_as_line: 2,
    },
    { line: 6, column: null, code: "column_count", rule: "has 2 columns, the header has 6" },
  ]);
});

test("what may be there once is found twice also where a row is wrong in another way", async () => {
  const codes = async (...given: Parameters<typeof judge>) =>
    (await judge(...given)).problems.map(({ line, column, code }) => [line, column, code]);
  const imports = [
    "l1,a1,1e3,2026-01-31,t1",
    "l1,a1,1,2026-01-31,t1",
    ",a1,1,2026-01-31,t2",
    ",a1,1,2026-01-31,t2",
  ];
  const header = "link_id,account_id,amount,date,transaction_id";
  expect(await codes(importJob, "rows.csv", header, ...imports)).toEqual([
    [2, "amount", "not_amount"],
    [3, "transaction_id", "repeated"],
    [4, "link_id", "missing"],
    [5, "link_id", "missing"],
  ]);
});

test("an amount that is a JSON number is refused: text is exact", async () => {
  const row = { link_id: "l", account_id: "a", amount: 1.5, date: "2026-01-01" };
  const { problems } = await judge(importJob, "rows.jsonl", JSON.stringify(row));
  expect(problems).toEqual([{ line: 1, column: "amount", code: "wrong_type", rule: "is not text" }]);
});

test.for([
  [["account_id,amount,date", "a,1,2026-01-01"], "none of the header's 3 columns is link_id"],
  [["link_id,link_id,account_id,amount,date", "l,l,a,1,2026-01-01"], "column link_id appears twice"],
  [["link_id,account_id,amount,date"], "has a header and no transactions"],
  [[], "is empty"],
] as const)("%o is refused as a whole", async ([lines, problem]) => {
  await expect(judge(importJob, "rows.csv", ...lines)).rejects.toThrow(problem);
});

test("an empty file of a kind with columns of any name is refused with all that it may have", async () => {
  await expect(judge(vaultWriteJob, "values.csv")).rejects.toThrow(
    "is empty. Nothing was started. Accepted: a CSV or JSONL file: fp_id, data identifiers such as id.email, and upload:<identifier> with paths of files.",
  );
});

test("a kind's order is that of the frozen rows, wrong ones last; unknown columns are named", async () => {
  const judged = await judge(
    cipJob,
    "users.csv",
    "fp_id,legal_hold,shoe",
    "fp_b,YES,9",
    "fp/c,,",
    "fp_a,no,8",
  );
  expect((await rowsOf(judged)).map(({ line, row }) => [line, row])).toEqual([
    [4, { fp_id: "fp_a", legal_hold: false }],
    [2, { fp_id: "fp_b", legal_hold: true }],
    [3, null],
  ]);
  expect(judged.warnings).toEqual([expect.stringContaining('ignored "shoe"')]);
});

test("what a spreadsheet made of ids is warned of, with its number and first line, and no id", async () => {
  const judged = await judge(
    importJob,
    "rows.csv",
    "link_id,account_id,amount,date,description,transaction_id",
    "1.23457E+11,a,1.0,2026-01-01,NULL,t1",
    "l,12345.0,1.0,2026-01-01,NULL,NULL",
    "l,NULL,1.0,2026-01-01,NULL,t-12.0",
    "l,nan,1.0,2026-01-01,NULL,1e5",
    'l,"1,23457E+11",1.0,2026-01-01,NULL,####',
  );
  expect(judged.problems).toEqual([]);
  const words = (column: string, count: string, line: number) =>
    expect.stringMatching(new RegExp(`column ${column}: ${count} .*first in line ${line}: compare`));
  expect(judged.warnings).toEqual([
    words("link_id", "1 id looks", 2),
    words("account_id", "4 ids look", 3),
    words("transaction_id", "2 ids look", 3),
  ]);
});

test("a kind with a rule for further columns takes them into the row, except empty cells", async () => {
  const job = { ...userFieldsJob, row: userFieldsJob.row.catchall(ownIdText) } as AnyJob;
  const csv = await judge(job, "rows.csv", "shoe,fp_id,hat", "9,fp_a,", " 8,fp_b,m");
  expect(await rowsOf(csv)).toMatchObject([{ row: { fp_id: "fp_a", shoe: "9" } }, { row: null }]);
  expect(csv.problems).toMatchObject([{ line: 3, column: "shoe", code: "outer_spaces" }]);
  expect(csv.warnings).toEqual([]);
  const jsonl = await judge(job, "rows.jsonl", '{"hat":"","fp_id":"fp_a","shoe":null}');
  expect(await rowsOf(jsonl)).toMatchObject([{ row: { fp_id: "fp_a", hat: "" } }]);
  const twice = judge(job, "rows.csv", "fp_id,hat,hat", "fp_a,m,l");
  await expect(twice).rejects.toThrow("column hat appears twice");
});

test("what the service tells of a row makes it a wrong one, under another hash", async () => {
  const judged = await judge(cipJob, "users.csv", "fp_id", "fp_a", "fp_b");
  const told = await withProblems(judged, [
    { line: 3, column: "fp_id", code: "unknown", rule: "is unknown" },
  ]);
  expect(told).toMatchObject({ total: 2, invalid: 1, problems: [{ line: 3 }] });
  expect(told.sha256).not.toBe(judged.sha256);
  expect((await rowsOf(told)).map(({ row }) => row)).toEqual([{ fp_id: "fp_a" }, null]);
});

test("rows of a roster have codes for every rule that they break", async () => {
  const { problems } = await judge(
    cipJob,
    "users.jsonl",
    JSON.stringify({
      fp_id: " ",
      external_id: "a ",
      risk: 1,
      account_closed_on: "soon",
      legal_hold: "perhaps",
    }),
    JSON.stringify({ fp_id: "fp_1", excluded: "", legal_hold: 7 }),
    '{"fp_id":"fp_2","risk":1.2345678901234567}',
    "[]",
  );
  expect(problems.map(({ line, column, code }) => [line, column, code])).toEqual([
    [1, "fp_id", "blank"],
    [1, "external_id", "outer_spaces"],
    [1, "risk", "wrong_type"],
    [1, "account_closed_on", "not_day"],
    [1, "legal_hold", "wrong_value"],
    [2, "legal_hold", "wrong_value"],
    [2, "excluded", "blank"],
    [3, null, "long_number"],
    [4, null, "not_object"],
  ]);
});

test("rows that break no rule have the hash that they always had", async () => {
  const transactions = await judge(
    importJob,
    "rows.csv",
    "link_id,account_id,amount,date,transaction_id,transaction_type",
    "l1,a1,12.5,2026-01-31,t1,debit",
    "l1,a2,-3,2026-02-01T10:00:00Z,,",
  );
  const users = await judge(cipJob, "users.csv", "fp_id,external_id,legal_hold", "fp_b,c-2,yes", "fp_a,,no");
  expect([transactions.sha256, users.sha256]).toEqual([
    "0fb12b124047b0f5dbbdb60303ee9b8ea67627b1ca96765dcf3e37bd6bb20cc0",
    "ac183d9739383e53ef3344faf0db35959cd62fb82feda988ce2a88b1bfdbf722",
  ]);
});
