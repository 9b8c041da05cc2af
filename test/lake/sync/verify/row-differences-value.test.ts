import { expect, test } from "vitest";
import { creationOf, type TableSpec } from "../../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../../src/lake/lake.js";
import { readTable } from "../../../../src/lake/query/query-views.js";
import { changedValue } from "../../../../src/lake/sync/verify/row-differences.js";
import { addOf, writeRows } from "../../../../src/lake/tables/parquet-file.js";
import { transactionChanges, transactions } from "../../../../src/lake/tables/transactions.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

/** Adds rows of the link as a file of their own, and gives its path. */
async function add(spec: TableSpec, rows: readonly object[]): Promise<string> {
  const common = { link_id: "it's", run_id: "run", generation: 1 };
  const [file] = await writeRows(
    lake,
    spec,
    "p",
    rows.map((row) => ({ ...common, ...row })),
  );
  if (file === undefined) throw new Error("no rows");
  await lake
    .table(spec.name)
    .commit(({ version }) => [...(version === -1 ? creationOf(spec, 0) : []), { add: addOf(file) }]);
  return `${spec.name}/${file.path}`;
}

async function told(): Promise<string> {
  const read = new Map();
  for (const { name } of [transactionChanges, transactions]) {
    const found = await readTable({ ...lake, table: name });
    if (found !== undefined) read.set(name, found);
  }
  return lake.duckdb.exclusive((sql) => changedValue(sql, read, "it's", "run"));
}

test("the first value that transactions has otherwise is named, with its file", async () => {
  await add(transactionChanges, [{ transaction_id: "t1", sequence: 1, amount: "1.50" }]);
  const file = await add(transactionChanges, [
    { transaction_id: "t2", sequence: 2, amount: "1.23", currency: "USD" },
  ]);
  await add(transactions, [
    { transaction_id: "t1", sequence: 1, amount: "1.50" },
    { transaction_id: "t2", sequence: 2, amount: "51297.00" },
  ]);
  expect(await told()).toBe(`${file}: amount of t2 is 1.23; the table transactions says 51297.00`);
});

test("where transactions has other rows, or is not there, the files of the update are named", async () => {
  const file = await add(transactionChanges, [{ transaction_id: "t1", sequence: 1, amount: "1.23" }]);
  expect(await told()).toBe(`they are in ${file}`);
  await add(transactions, [{ transaction_id: "t1", sequence: 2, amount: "1.50" }]);
  expect(await told()).toBe(`they are in ${file}`);
});
