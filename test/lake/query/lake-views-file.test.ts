import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { VIEWS } from "../../../src/lake/query/views.js";
import { StoredText } from "../../../src/lake/tables/encrypted-column.js";
import { TABLES } from "../../../src/tables.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest } from "../../helpers/each-test.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const change = (sequence: number, change_type: string, amount: string | null) => ({
  ...{ link_id: "l", transaction_id: "t", sequence, change_type, amount, fetched_at: "2026-11-01T00:00:00Z" },
});
const sealed = new StoredText("c2VhbGVk");

const lake = eachTest(() =>
  lakeOfRows({
    transaction_changes: [change(1, "created", "0.1000000001"), change(2, "removed", null)],
    accounts: [{ fp_id: "f", link_id: "l", account_id: "a", observed_at: "2026-11-01T00:00:00Z" }],
    onboardings: [{ batch_id: "b", line: 2, output: sealed }],
  }),
);

/** Runs the command in the lake's directory. */
const views = (...more: readonly string[]) =>
  runHere({ directory: lake.directory, env: { NIGHTLEDGER_LAKE: "." } }, [
    "views",
    "--out",
    "v.duckdb",
    ...more,
  ]);

/** Reads the file as another program does. */
async function read(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(join(lake.directory, "v.duckdb"), {
    access_mode: "READ_ONLY",
  });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test("another program finds every table and view in the file, empty ones too, and what they mean", async () => {
  expect(await views()).toMatchObject({ code: 0 });
  const found = await read("select view_name from duckdb_views() where not internal order by 1");
  expect(found.flat()).toEqual([...TABLES, ...VIEWS].map(({ name }) => name).sort());
  for (const [name] of found) await read(`select * from "${name}"`);
  const amounts = "select sequence, amount from transaction_changes order by 1";
  expect(await read(amounts)).toEqual([
    ["1", "0.1000000001"],
    ["2", null],
  ]);
  expect(await read("select account_id from accounts_current")).toEqual([["a"]]);
  expect(await read("select output from onboardings")).toEqual([["c2VhbGVk"]]);
  const said = await read(
    "select comment from duckdb_columns() where table_name = 'transactions' and column_name = 'account_id'",
  );
  expect(said).toEqual([["the account"]]);
});

test("a file that is there is replaced only with --force", async () => {
  await views();
  expect(await views()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is there already.*--force/),
  });
  expect(await views("--force")).toMatchObject({ code: 0 });
});

test("a lake in a bucket is refused, with what to do", async () => {
  const bucket = { NIGHTLEDGER_LAKE: "s3://none/lake" };
  const refused = await runHere({ directory: lake.directory, env: bucket }, ["views", "--out", "v.duckdb"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/is in a bucket.*back-up\.md/s) });
});
