import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { vaultValues } from "../../../src/lake/tables/bulk.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { addOf, writeQuery, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { transactions } from "../../../src/lake/tables/transactions.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { queryRows } from "../../helpers/query/query-rows.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

test("awkward texts of a row come back as they were; half a surrogate pair as U+FFFD", async () => {
  const texts = ["a\u0000b", '"\\', "\u2028\n", "🥐", "", "x".repeat(1_500_000)];
  const rows = [...texts, "\ud800"].map((payload, index) => ({ index, payload }));
  const [file] = await writeRows(lake, quarantine, "p", rows);
  if (file === undefined) throw new Error("no file");
  await lake.table("quarantine").commit(() => [...creationOf(quarantine, 0), { add: addOf(file) }]);
  const found = await queryRows(base.store, 'select payload from quarantine order by "index"');
  expect(found.map(({ payload }) => payload)).toEqual([...texts, "\ufffd"]);
});

test("statistics hold link_id, date and sequence only", async () => {
  const [file] = await writeRows(lake, transactions, "p", [
    { link_id: "b", date: "2026-01-02", sequence: "2", amount: "1.0000000001" },
    { link_id: "a", date: null, sequence: "70", amount: "2" },
  ]);
  expect(JSON.parse(file?.stats ?? "")).toMatchObject({
    numRecords: 2,
    minValues: { link_id: "a", date: "2026-01-02", sequence: 2 },
    maxValues: { link_id: "b", date: "2026-01-02", sequence: 70 },
    nullCount: { link_id: 0, date: 1, sequence: 0 },
  });
  expect(file?.stats).not.toContain("amount");
});

test("no rows make no file, every file has a name of its own, and scratch is left empty", async () => {
  expect(await writeRows(lake, quarantine, "p", [])).toEqual([]);
  expect(await writeQuery(lake, quarantine, "p", "select null::varchar as link_id where false")).toEqual([]);
  const [one, two] = [
    ...(await writeRows(lake, quarantine, "p", [{ index: 1 }])),
    ...(await writeRows(lake, quarantine, "p", [{ index: 1 }])),
  ];
  expect(one?.path).toMatch(/^p-.*\.parquet$/);
  expect(one?.path).not.toBe(two?.path);
  expect(await readdir(lake.duckdb.scratchDirectory)).toEqual([]);
});

const PAYLOAD_BYTES = 8 * 1024 * 1024 - '{"payload":""}\n'.length;

test.for<[string, number[], number[]]>([
  ["rows that fill a file exactly", [PAYLOAD_BYTES - 15, 0], [2]],
  ["one byte more", [PAYLOAD_BYTES - 15, 1], [1, 1]],
  ["a row longer than a file, among others", [1, PAYLOAD_BYTES + 1_000_000, 1], [1, 1, 1]],
  ["more than memory would hold at once", Array(25).fill(1_200_000), [6, 6, 6, 6, 1]],
])("long rows are written as several files: %s", async ([, sizes, rows]) => {
  const files = await writeRows(
    lake,
    quarantine,
    "p",
    sizes.map((size) => ({ payload: "x".repeat(size) })),
  );
  expect(files.map((file) => file.rows)).toEqual(rows);
  expect(await readdir(lake.duckdb.scratchDirectory)).toEqual([]);
});

test("encrypted values count as they are stored, and each comes back", async () => {
  const sealer = createSealer(TEST_KEYS);
  const sealed = openLake({ directory: base.directory, sealer });
  async function* rows() {
    for (let at = 0; at < 8; at += 1) yield { field: String(at), value: String(at).repeat(1_500_000) };
  }
  await appendOnce(sealed, vaultValues, "run/g0", async () => {
    const files = await writeRows(sealed, vaultValues, "p", rows());
    expect(files.map((file) => file.rows)).toEqual([4, 4]);
    return files;
  });
  const found = await readTables(sealed, [vaultValues], (sql) =>
    sql.rows("select field, value from vault_values order by field"),
  );
  await sealed.close();
  expect(found.map(({ value }) => openColumn(sealer, "vault_values", "value", String(value))[0])).toEqual(
    found.map(({ field }) => field),
  );
  expect(found).toHaveLength(8);
  expect((await lake.table("vault_values").snapshot()).version).toBe(0);
});

test("the longest value that an answer can hold fits into memory, encrypted", async () => {
  const sealed = openLake({ directory: base.directory, sealer: createSealer(TEST_KEYS) });
  const value = "x".repeat(16 * 1024 * 1024);
  expect(await writeRows(sealed, vaultValues, "p", [{ field: "a" }, { value }])).toMatchObject([
    { rows: 1 },
    { rows: 1 },
  ]);
  await sealed.close();
});
