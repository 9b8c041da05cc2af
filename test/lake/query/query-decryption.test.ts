import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { creationOf, type TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { openLake } from "../../../src/lake/lake.js";
import { type LakeQuery, openQuery } from "../../../src/lake/query/query.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { eachFile } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { hostileExamples } from "../../helpers/lake/hostile-statements.js";
import { appendRows } from "../../helpers/query/append-rows.js";

/** A declared column is opened; nothing else of the program names it. */
const REPORTS = {
  name: "feed",
  columns: [
    { name: "id", type: "BIGINT" },
    { name: "tax_id", type: "VARCHAR", encrypted: true },
    { name: "note", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
const EMPTY = { ...REPORTS, name: "empty" } as const satisfies TableSpec;
const MISSING = { ...REPORTS, name: "missing" } as const satisfies TableSpec;

const sealer = createSealer(parseEncryptionKeys(`k:${Buffer.alloc(32, 1).toString("base64")}`));
const ROWS = 5_000;
const PLANTED = "PLANTED-77";

const base = eachFile(openTestLake);
let query: LakeQuery;
beforeAll(async () => {
  const lake = openLake({ directory: base.directory, sealer });
  const moved = Buffer.from(sealer.seal(Buffer.from("not declared"), "feed.tax_id")).toString("base64");
  const rows = Array.from({ length: ROWS }, (_, id) => ({
    id,
    tax_id: id % 3 === 0 ? null : `tax-${id}`,
    note: moved,
  }));
  await appendRows(lake, REPORTS, rows);
  await openTable(lake.store, "empty", lake.duckdb).commit(() => creationOf(EMPTY, 1));
  await lake.close();
  const scratchDirectory = join(base.directory, "..", "query");
  query = openQuery(base.store, { scratchDirectory, tables: [REPORTS, EMPTY, MISSING], sealer });
});
afterAll(async () => {
  await query.close();
});

async function rowsOf(sql: string) {
  const rows: unknown[] = [];
  for await (const batch of query.query(sql)) rows.push(...batch);
  return rows;
}

test("a declared column is opened over many vectors; others come as they are stored", async () => {
  const sql = `select count(*) as rows, count(tax_id) as opened,
    count(*) filter (where tax_id = 'tax-' || id) as equal, bool_and(note like 'TkxT%') as stored from feed`;
  const opened = ROWS - Math.ceil(ROWS / 3);
  expect(await rowsOf(sql)).toEqual([{ rows: ROWS, opened, equal: opened, stored: true }]);
});

test("tables without rows have the column, and its name and type stay", async () => {
  expect(await rowsOf("select tax_id from empty union all select tax_id from missing")).toEqual([]);
  expect(await rowsOf("describe feed")).toMatchObject([
    { column_name: "id", column_type: "BIGINT" },
    { column_name: "tax_id", column_type: "VARCHAR" },
    { column_name: "note", column_type: "VARCHAR" },
  ]);
});

test("a value that was moved from another column does not open", async () => {
  const [{ note }] = (await rowsOf("select note from feed limit 1")) as [{ note: string }];
  expect(openColumn(sealer, "feed", "tax_id", note)).toBe("not declared");
  expect(() => openColumn(sealer, "feed", "note", note)).toThrow("does not open");
  await expect(rowsOf(`select opened_missing_tax_id('${note}')`)).rejects.toThrow(
    /^NIGHTLEDGER_ENCRYPTION_KEYS: /,
  );
});

test("a query that is left in its middle, again and again, ends", async () => {
  for (let round = 0; round < 10; round += 1) {
    for await (const batch of query.query("select r.* from feed r, range(100)")) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
  }
});

test("the engine is locked as without decryption", async () => {
  const out = join(base.directory, "..", "out");
  await writeFile(out, PLANTED);
  const targets = { keys: out, out, data: out, staged: out, http: "http://127.0.0.1:1" };
  for (const sql of hostileExamples(targets)) {
    const failure = await rowsOf(sql).catch((error: Error) => error);
    expect(failure, sql).toMatchObject({ name: "InputError" });
    expect((failure as Error).message, sql).not.toContain(PLANTED);
  }
});
