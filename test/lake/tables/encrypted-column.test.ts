import { expect, test } from "vitest";
import type { TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import {
  encryptedRow,
  openColumn,
  StoredText,
  sealRowRepeatably,
} from "../../../src/lake/tables/encrypted-column.js";
import { LAKE_TABLES } from "../../../src/lake/tables/index.js";
import { writeQuery, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { transactionChanges, transactions } from "../../../src/lake/tables/transactions.js";
import { STREAMS } from "../../../src/streams/index.js";
import { TABLES } from "../../../src/tables.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { appendRows } from "../../helpers/query/append-rows.js";
import { queryRows } from "../../helpers/query/query-rows.js";

const PEOPLE = {
  name: "people",
  columns: [
    { name: "id", type: "INTEGER" },
    { name: "name", type: "VARCHAR", encrypted: true },
    { name: "phone", type: "VARCHAR", encrypted: true },
  ],
} as const satisfies TableSpec;

const sealer = createSealer(parseEncryptionKeys(`k:${Buffer.alloc(32, 1).toString("base64")}`));

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory, sealer }));

const rowsOf = (spec: TableSpec, sql: string, decrypt: boolean) =>
  queryRows(base.store, sql, { tables: [spec], ...(decrypt && { sealer }) });

test("what a job gives in the clear is encrypted by the write, null stays null, and a query with the keys opens it", async () => {
  // The third name is what an encrypted one looks like: it is a customer's text all the same.
  const names = ["Zoë 🦉", "", "TkxTMQFr", null, "half \ud800"];
  const rows = names.map((name, id) => ({ id, name }));
  await appendRows(lake, PEOPLE, rows);
  const sql = "select * from people order by id";
  expect(await rowsOf(PEOPLE, sql, true)).toEqual(
    ["Zoë 🦉", "", "TkxTMQFr", null, "half \ufffd"].map((name, id) => ({ id, name, phone: null })),
  );
  const stored = (await rowsOf(PEOPLE, sql, false)).map(({ name }) => name);
  expect(stored.map((name) => typeof name === "string" && name.startsWith("TkxTMQFr"))).toEqual([
    ...[true, true, true, false, true],
  ]);
  expect(stored[2]).not.toBe("TkxTMQFr");
});

test("what is encrypted already, or shall be in the clear, is stored as it is", async () => {
  const { name } = sealRowRepeatably(sealer, PEOPLE, "fp_1", { name: "Jane" });
  const rows = [{ id: 1, name, phone: new StoredText("555") }];
  await appendRows(lake, PEOPLE, rows);
  expect(await rowsOf(PEOPLE, "select name, phone from people", false)).toEqual([
    { name: (name as StoredText).text, phone: "555" },
  ]);
  expect(await rowsOf(PEOPLE, "select name, phone from people", true)).toEqual([
    { name: "Jane", phone: "555" },
  ]);
});

test("a lake without its keys refuses a value of an encrypted column, and writes rows that have none", async () => {
  const keyless = openLake({ directory: base.directory });
  const write = (name: unknown) => writeRows(keyless, PEOPLE, "test", [{ id: 1, name }]);
  const refusal = await write("Jane PLANTED").catch((error: Error) => error.message);
  expect(refusal).toBe("people.name is encrypted, and the lake was opened without keys");
  expect(await write(null)).toMatchObject([{ rows: 1 }]);
  await keyless.close();
});

test.for([7, true, { first: "Jane" }])(
  "%j is no text, and refused: it would have been stored in the clear",
  (name) => {
    expect(() => encryptedRow(sealer, PEOPLE, { name })).toThrow("people.name is encrypted, and takes texts");
  },
);

test.each(
  LAKE_TABLES.flatMap((spec) =>
    spec.columns.filter(({ encrypted }) => encrypted).map(({ name }) => [spec.name, name, spec] as const),
  ),
)("%s.%s is encrypted by the write", (table, column, spec) => {
  const row = encryptedRow(sealer, spec, { [column]: "PLANTED" });
  const { text } = row[column] as StoredText;
  expect(text).not.toContain("PLANTED");
  expect(openColumn(sealer, table, column, text)).toBe("PLANTED");
});

test("tables whose rows SQL writes have no encrypted column", () => {
  const bySql = new Set(
    [...STREAMS.map(({ table }) => table), transactions, transactionChanges].map(({ name }) => name),
  );
  const written = TABLES.filter(({ name }) => bySql.has(name.replace(/_current$/, "")));
  expect(written.length).toBeGreaterThan(bySql.size);
  expect(written.flatMap(({ columns }) => columns.filter(({ encrypted }) => encrypted))).toEqual([]);
});

test("SQL may not write a table with encrypted columns", async () => {
  await expect(writeQuery(lake, PEOPLE, "q", "select 1 as id, 'Ada' as name, null as phone")).rejects.toThrow(
    "SQL would write encrypted columns of people in the clear.",
  );
});
