import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markSeenImports } from "../../../src/lake/bulk/seen-imports.js";
import type { TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { transactionImports } from "../../../src/lake/tables/bulk.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";

const NOW = Date.now();
const DAY_MS = 86_400_000;

let directory: string;
let lake: Lake;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-seen-"));
  lake = openLake({ directory });
});
afterEach(async () => {
  await lake.close();
  await rm(directory, { recursive: true, force: true });
});

let names = 0;
async function append(table: TableSpec, rows: readonly object[]): Promise<void> {
  names += 1;
  const name = `append-${names}`;
  await appendOnce(lake, table, name, () => writeRows(lake, table, name, rows as Record<string, unknown>[]));
}
const row = (id: string, fields: object = {}) => ({
  run_id: "import-1",
  line: 1,
  link_id: "l",
  account_id: "a",
  transaction_id: id,
  amount: "12.5000000001",
  status: "accepted",
  imported_at: new Date(NOW).toISOString(),
  ...fields,
});
const change = (id: string, fields: object = {}) => ({
  link_id: "l",
  account_id: "a",
  transaction_id: id,
  change_type: "created",
  sequence: 1,
  run_id: "sync-1",
  ...fields,
});
const seen = () =>
  readTables(lake, [transactionImports], (sql) =>
    sql.rows(
      "select transaction_id as id, status, seen_in_run as run, amount from transaction_imports order by all",
    ),
  );
const seenRuns = async () => (await seen()).map(({ id, run }) => `${id} ${run}`);
const version = async () => (await lake.table(transactionImports.name).snapshot()).version;

test("without a ledger, open rows or new rows nothing is written", async () => {
  expect(await markSeenImports(lake)).toBe(0);
  await append(transactionImports, [row("x", { status: "refused" }), row("y", { status: "skipped" })]);
  await append(transactionChanges, [change("x"), change("y")]);
  expect(await markSeenImports(lake)).toBe(0);
  await append(transactionImports, [row("z")]);
  expect(await markSeenImports(lake)).toBe(0);
  expect(await version()).toBe(1);
});

test("rows get the run that first brought them, once; those of other links, accounts and ids do not", async () => {
  await append(transactionImports, [row("1"), row("2", { status: "unknown" }), row("3"), row("4")]);
  await append(transactionImports, [row("5"), row("6", { link_id: "m" })]);
  await append(transactionChanges, [
    change("1", { sequence: 7, run_id: "sync-2" }),
    change("1", { sequence: 3, run_id: "sync-1" }),
    change("2", { change_type: "updated" }),
    change("3", { change_type: "removed" }),
    change("4", { account_id: "b" }),
    change("6"),
  ]);
  expect(await markSeenImports(lake)).toBe(2);
  expect(await seenRuns()).toEqual(["1 sync-1", "2 sync-1", "3 null", "4 null", "5 null", "6 null"]);
  expect((await seen()).every(({ amount }) => amount === "12.5000000001")).toBe(true);
  const before = await version();
  expect(await markSeenImports(lake)).toBe(0);
  expect(await version()).toBe(before);
  await append(transactionChanges, [change("5", { run_id: "sync-3" })]);
  expect(await markSeenImports(lake)).toBe(1);
  expect(await seenRuns()).toContain("5 sync-3");
});

test("every row of a repeated import that names the same transaction is seen", async () => {
  await append(transactionImports, [row("1", { status: "unknown" })]);
  await append(transactionImports, [
    row("1", { run_id: "import-2" }),
    row("1", { run_id: "import-3", status: "skipped" }),
  ]);
  await append(transactionChanges, [change("1")]);
  expect(await markSeenImports(lake)).toBe(2);
  expect((await seen()).map(({ status, run }) => `${status} ${run}`)).toEqual([
    "accepted sync-1",
    "skipped null",
    "unknown sync-1",
  ]);
});

test("a row is looked for during thirty days", async () => {
  await append(transactionImports, [row("1")]);
  await append(transactionChanges, [change("1")]);
  expect(await markSeenImports(lake, NOW + 31 * DAY_MS)).toBe(0);
  expect(await markSeenImports(lake, NOW + 29 * DAY_MS)).toBe(1);
});

test("two at once, and an import meanwhile: no row is lost or doubled", async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `${at}`);
  for (const id of ids) await append(transactionImports, [row(id)]);
  await append(
    transactionChanges,
    ids.map((id) => change(id)),
  );
  const other = openLake({ directory });
  try {
    const [, , sum] = await Promise.all([
      markSeenImports(lake),
      append(transactionImports, [row("new")]),
      markSeenImports(other),
    ]);
    expect([0, 40]).toContain(sum);
  } finally {
    await other.close();
  }
  expect((await seenRuns()).sort()).toEqual([...ids.map((id) => `${id} sync-1`), "new null"].sort());
});

test.each(["before", "after"])("a ledger of an older version, with a row of this one %s", async (when) => {
  const columns = transactionImports.columns.filter(({ name }) => name !== "error_message");
  const older: TableSpec = { name: transactionImports.name, columns };
  await append(older, [row("1"), row("2")]);
  if (when === "before") await append(transactionImports, [row("3", { error_message: "no" })]);
  await append(transactionChanges, [change("1"), change("3")]);
  expect(await markSeenImports(lake)).toBe(when === "before" ? 2 : 1);
  if (when === "after") await append(transactionImports, [row("3", { error_message: "no" })]);
  const said = await readTables(lake, [transactionImports], (sql) =>
    sql.rows("select transaction_id as id, error_message as said from transaction_imports order by all"),
  );
  expect(said).toEqual([
    { id: "1", said: null },
    { id: "2", said: null },
    { id: "3", said: "no" },
  ]);
});
