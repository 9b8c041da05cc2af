import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openLake } from "../../../../src/lake/lake.js";
import { maintainTable } from "../../../../src/lake/maintain/table-upkeep.js";
import { eraseRows } from "../../../../src/lake/sync/forget/erase-rows.js";
import { transactionChanges } from "../../../../src/lake/tables/transactions.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { eachTest } from "../../../helpers/each-test.js";
import { appendRows } from "../../../helpers/query/append-rows.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const change = (sequence: number, transaction_id: string, day: number, values: object = {}) => ({
  ...{ link_id: "link_1", fp_id: "f", account_id: "a1", transaction_id, sequence, change_type: "created" },
  ...{
    amount: "5.1",
    signed_amount: "-5.1",
    currency: "EUR",
    date: "2026-01-10",
    type: "debit",
    pending: false,
  },
  ...{ generation: 1, inferred: false, fetched_at: `2026-01-${day}T02:00:00Z`, description: "Tea;\t<cake>" },
  ...values,
});
const FIRST = [
  { ...change(1, "t1", 10), fetched_at: "2026-01-09T23:59:59Z" },
  change(2, "t2", 10, {
    account_id: "a2",
    signed_amount: "0.0000000001",
    description: "=1+1",
    pending: true,
  }),
  change(3, "t3", 10, { date: "2026-02-01" }),
];
const SECOND = [
  change(4, "t1", 11, { change_type: "updated", signed_amount: "-6.25" }),
  {
    link_id: "link_1",
    transaction_id: "t2",
    sequence: 5,
    change_type: "removed",
    fetched_at: "2026-01-11T02:00:00Z",
  },
];
const certified = (sequence_to: number) => ({
  link_id: "link_1",
  sequence_to,
  certificate: `c${sequence_to}`,
});

const lake = eachTest(() =>
  lakeOfRows({
    transaction_changes: FIRST,
    link_syncs: [certified(3), certified(5)],
    accounts: [10, 12].map((day) => ({
      ...{ fp_id: "f", link_id: "link_1", account_id: "a1", observed_at: `2026-01-${day}T01:00:00Z` },
      ...{ balance_current: String(day), balance_currency: "EUR" },
    })),
  }),
);
beforeEach(async () => {
  const writing = openLake({ directory: lake.directory });
  await appendRows(writing, transactionChanges, SECOND);
  await writing.close();
});

async function january(out: string, ...more: readonly string[]) {
  const from = more.includes("--from") ? [] : ["--from", "2026-01-01"];
  const args = ["export", "transactions", ...from, "--to", "2026-01-31", "--out", out, "--json", ...more];
  const { code, stdout, stderr } = await runHere(
    { directory: lake.directory, env: { NIGHTLEDGER_LAKE: "." } },
    args,
  );
  const said = JSON.parse(stdout);
  if (code !== 0) return { code, stderr, said, text: "" };
  const bytes = await readFile(join(lake.directory, out));
  expect(said.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(JSON.parse(await readFile(join(lake.directory, `${out}.proof.json`), "utf8"))).toEqual(said);
  return { code, stderr, said, text: bytes.toString("utf8") };
}

const rowsOf = (text: string) => {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const at = ["transaction_id", "signed_amount", "description"].map((name) =>
    head.replaceAll('"', "").split(",").indexOf(name),
  );
  return lines.map((line) => at.map((place) => line.split(",")[place]));
};

test("the live rows of the days are in the file, exact, and its proof has the head of each link", async () => {
  const { said, text } = await january("now.csv");
  expect(rowsOf(text)).toEqual([['"t1"', "-6.2500000000", '"Tea;\t<cake>"']]);
  expect(said).toMatchObject({
    ...{ file: "now.csv", as_of: null, feed_version: 1, rows: 1, lake_root: null },
    totals: [{ currency: "EUR", rows: 1, signed_amount: "-6.2500000000" }],
    links: [{ link_id: "link_1", sequence: 5, certified_to: 5, certificate: "c5" }],
  });
});

test.each(["0", "2026-01-10"])("as of %s the file has what was known then, and no formula", async (asOf) => {
  const { said, text } = await january("then.csv", "--as-of", asOf);
  expect(rowsOf(text)).toEqual([
    ['"t1"', "-5.1000000000", '"Tea;\t<cake>"'],
    ['"t2"', "0.0000000001", `"'=1+1"`],
  ]);
  expect(said).toMatchObject({ rows: 2, links: [{ sequence: 3, certificate: "c3" }] });
  expect((await january("one.csv", "--as-of", asOf, "--accounts", "a2")).said.rows).toBe(1);
});

test("a version whose files `maintain` has deleted is refused with the reason; a day is not", async () => {
  const upkeep = openLake({ directory: lake.directory });
  for (let times = 0; times < 2; times += 1)
    await maintainTable(upkeep, transactionChanges, { before: Date.now() + 1, dryRun: false });
  await upkeep.close();
  expect(await january("gone.csv", "--as-of", "0")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/version 0 .*`maintain` had merged into others.*give a day/),
  });
  expect((await january("then.csv", "--as-of", "2026-01-10")).said.rows).toBe(2);
});

// It named `maintain` as the one who deleted them, and promised that a day has every row.
test("a version of which rows were erased is refused with the reason; a day has what is left", async () => {
  const erasing = openLake({ directory: lake.directory });
  await eraseRows(erasing, { spec: transactionChanges, condition: "transaction_id = 't2'", owner: "f" });
  await erasing.close();
  expect(await january("gone.csv", "--as-of", "0")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/with rows that were erased.*a day .* for all rows that were not erased/),
  });
  expect((await january("then.csv", "--as-of", "2026-01-10")).said.rows).toBe(1);
});

test("a link whose update was not whole by then has no certificate yet", async () => {
  const { said } = await january("early.csv", "--as-of", "2026-01-09");
  expect(said).toMatchObject({ rows: 1, links: [{ sequence: 1, certified_to: null, certificate: null }] });
});

test.each<[string, RegExp, ...string[]]>([
  ["a.csv", /--accounts: the lake does not know a3\. Nothing was written/, "--accounts", "a1,a3"],
  ["no/a.csv", /--out: there is no folder \S*\/no\. Nothing was written/],
  ["a.csv", /--as-of: \S+ has not ended yet in UTC/, "--as-of", new Date().toISOString().slice(0, 10)],
  ["a.csv", /does not have version 9, or not any more; its newest is \d\. Nothing/, "--as-of", "9"],
  ["a.csv", /--from 2026-02-01 is after --to 2026-01-31/, "--from", "2026-02-01"],
  ["a.xls", /Give a \.csv or \.parquet/],
  ["folder.csv", /folder\.csv is no file/, "--force"],
  ["there.parquet", /is there already.*--force/],
])("%s is refused with %s, and nothing is written", async (out, words, ...more) => {
  await mkdir(join(lake.directory, "folder.csv"));
  await writeFile(join(lake.directory, "there.parquet"), "");
  const before = await readdir(lake.directory);
  expect(await january(out, ...more)).toMatchObject({ code: 2, stderr: expect.stringMatching(words) });
  expect(await readdir(lake.directory)).toEqual(before);
});

test("an account whose only row is removed by now is known all the same", async () => {
  expect((await january("a.csv", "--accounts", "a2")).said.rows).toBe(0);
});

test("Parquet is written too", async () => {
  expect((await january("b.parquet")).said.rows).toBe(1);
});
