import { afterEach, beforeEach, expect, test } from "vitest";
import { schemaActions, type TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { transactionChanges, transactions } from "../../../src/lake/tables/transactions.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";

const ADDED = "fetched_at";
const AT = "2026-05-06T00:00:00Z";

let at: FeedLake;
beforeEach(async () => {
  const directory = await asEarlier(async () => {
    const lake = await FeedLake.open();
    await lake.feed({ id: "same", sequence: 1 }, { id: "changed", sequence: 2 }, { id: "gone", sequence: 3 });
    await lake.feed({ link: "b", id: "other", sequence: 1, date: "2025-01-01" });
    await materialize(lake.lake);
    await lake.lake.close();
    return lake.directory;
  });
  at = await FeedLake.openAt(directory);
});
afterEach(() => at.release());

/** Does what the program did before this column, and those behind it, were added to both tables. */
async function asEarlier<T>(work: () => Promise<T>): Promise<T> {
  const tables = [transactionChanges, transactions] as { columns: TableSpec["columns"] }[];
  const whole = tables.map(({ columns }) => columns);
  for (const table of tables) table.columns = shorter(table.columns);
  try {
    return await work();
  } finally {
    for (const [at, table] of tables.entries()) table.columns = whole[at] ?? [];
  }
}

function shorter(columns: TableSpec["columns"]): TableSpec["columns"] {
  const added = columns.findIndex(({ name }) => name === ADDED);
  expect(added).toBeGreaterThan(0);
  return columns.slice(0, added);
}

const night = (...changes: Change[]) => at.feed(...changes.map((change) => ({ ...change, fetchedAt: AT })));

const rows = () =>
  readTables(at.lake, [transactions], async (sql) => {
    const found = await sql.rows(
      `select transaction_id || ' ' || amount::int || ' ' || coalesce(${ADDED}::date::varchar, 'null') as line
       from transactions order by all`,
    );
    return found.map(({ line }) => String(line));
  });

async function columnsInLog(table: string): Promise<string[]> {
  const { metadata } = await at.lake.table(table).snapshot();
  return JSON.parse(metadata!.schemaString).fields.map(({ name }: { name: string }) => name);
}

const CHANGES: Change[] = [
  { id: "changed", sequence: 4, type: "updated", amount: "5" },
  { id: "gone", sequence: 5, type: "removed" },
  { id: "new", sequence: 6 },
];
const EXPECTED = ["changed 5 2026-05-06", "new 1 2026-05-06", "other 1 null", "same 1 null"];

test("a table of an earlier version gets the column with its next commit, null in older rows, night after night", async () => {
  expect(await columnsInLog("transactions")).not.toContain(ADDED);
  await night(...CHANGES);
  await materialize(at.lake);
  expect(await rows()).toEqual(EXPECTED);
  for (const { name, columns } of [transactionChanges, transactions]) {
    expect(await columnsInLog(name)).toEqual(columns.map((column) => column.name));
  }
  await night({ link: "b", id: "later", sequence: 2, date: "2025-01-02" });
  await night({ id: "new", sequence: 7, type: "updated", amount: "7" });
  await materialize(at.lake);
  const [changed = "", , ...others] = EXPECTED;
  expect(await rows()).toEqual([changed, "later 1 2026-05-06", "new 7 2026-05-06", ...others]);
  expect(await at.unreferenced()).toEqual([]);
});

test("a rebuild reads a feed of both versions", async () => {
  await night(...CHANGES);
  const table = at.lake.table("transactions");
  await table.commit(() => [{ txn: { appId: "transaction_changes/commit", version: 1 } }]);
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: true });
  expect(await rows()).toEqual(EXPECTED);
});

test("what the earlier version has left in the feed is applied before the feed has the column", async () => {
  await asEarlier(async () => {
    const before = await FeedLake.openAt(at.directory);
    await before.feed(...CHANGES);
    await before.lake.close();
  });
  await materialize(at.lake);
  expect(await columnsInLog("transaction_changes")).not.toContain(ADDED);
  expect(await rows()).toEqual(["changed 5 null", "new 1 null", "other 1 null", "same 1 null"]);
  expect(schemaActions(transactions, await at.lake.table("transactions").snapshot(), 0)).toEqual([]);
});
