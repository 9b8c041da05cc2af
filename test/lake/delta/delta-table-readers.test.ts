import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, test } from "vitest";
import { removeOf } from "../../../src/lake/delta/delta-actions.js";
import { changesAfter } from "../../../src/lake/delta/delta-log.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachTest } from "../../helpers/each-test.js";
import { addRows, createTable, FEED, openTestLake, PLAIN } from "../../helpers/lake/delta-lake.js";
import { findDeltaPython, optimizeWithPython, readWithPython } from "../../helpers/lake/delta-reader.js";
import { domainAction, EAGER } from "../../helpers/lake/log/counted-actions.js";
import { logNames } from "../../helpers/lake/log/log-entries.js";
import { queryRows } from "../../helpers/query/query-rows.js";

const lake = eachTest(openTestLake);

const ROWS = [
  "('a', 1, 123456789012345678.1234567890, '2026-01-02', '2026-01-02 03:04:05.000001+02', true, 3)",
  "('b', 9007199254740993, -0.1, '2024-02-29', null, false, null)",
  "('c', 3, 0.0000000001, null, '1969-12-31 23:59:59.5+00', null, 0)",
];
const AS_READ = [
  ["a", "1", "123456789012345678.1234567890", "2026-01-02", "2026-01-02 01:04:05.000001+00:00", "True", "3"],
  ["b", "9007199254740993", "-0.1000000000", "2024-02-29", null, "False", null],
  ["c", "3", /^(1E-10|0\.0000000001)$/, null, "1969-12-31 23:59:59.500000+00:00", null, "0"],
];

async function deleteCommits(table: string) {
  for (const { key } of await lake.store.list(`${table}/_delta_log/`)) {
    if (key.endsWith(".json")) await lake.store.delete(key);
  }
}

test("hyparquet counts the same rows and reads the same text in a data file", async () => {
  const add = await addRows(lake, "plain", ROWS.join(", "));
  const bytes = await readFile(join(lake.directory, "plain", add.path));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file, compressors, columns: ["link_id", "sequence"] });
  expect(rows).toEqual([
    { link_id: "a", sequence: 1n },
    { link_id: "b", sequence: 9007199254740993n },
    { link_id: "c", sequence: 3n },
  ]);
});

const python = findDeltaPython();
describe.skipIf(python === undefined)("a second reader (deltalake and Polars; skipped without them)", () => {
  const read = (table: string) => readWithPython(python as string, join(lake.directory, table));
  const values = (reading: Awaited<ReturnType<typeof read>>) => reading.rows.map((row) => Object.values(row));
  const expected = AS_READ.map((row) =>
    row.map((value) => (value instanceof RegExp ? expect.stringMatching(value) : value)),
  );

  test.each([FEED, PLAIN])(
    "agrees on every value of $name, from commits and from our checkpoint",
    async (spec) => {
      const table = openTable(lake.store, spec.name, lake.duckdb);
      await createTable(table, spec);
      for (const row of ROWS) {
        const add = await addRows(lake, spec.name, row);
        const state = spec.feed
          ? { domainMetadata: { domain: row.slice(2, 3), configuration: "{}", removed: false } }
          : { txn: { appId: row.slice(2, 3), version: 1, lastUpdated: Date.now() } };
        await table.commit(() => [{ add }, state]);
      }
      const fromCommits = await read(spec.name);
      expect(fromCommits.version).toBe(3);
      expect(values(fromCommits)).toEqual(expected);
      await table.checkpoint(await table.snapshot());
      await deleteCommits(spec.name);
      expect(await read(spec.name)).toEqual(fromCommits);
    },
  );

  test("sees a rewritten file once, and reads on after later commits", async () => {
    const table = openTable(lake.store, "plain", lake.duckdb, { checkpointFloorBytes: 0 });
    const first = await addRows(lake, "plain", ROWS.slice(0, 2).join(", "));
    await table.commit(() => [...creationOf(PLAIN, 1), { add: first }]);
    const second = await addRows(lake, "plain", ROWS.join(", "));
    await table.commit(() => [{ remove: removeOf(first, Date.now()) }, { add: second }]);
    await deleteCommits("plain");
    expect(values(await read("plain"))).toEqual(expected);
  });

  test("reads a table whose log was cleaned up, and one whose clean-up was killed", async () => {
    const table = openTable(lake.store, "feed", lake.duckdb, EAGER);
    await createTable(table, FEED);
    for (const row of ROWS) {
      const add = await addRows(lake, "feed", row);
      await table.commit(() => [{ add }]);
    }
    expect((await logNames(lake.store, "feed"))[0]).toBe("2.checkpoint.parquet");
    expect(values(await read("feed"))).toEqual(expected);

    const isKilled = (key: string) => key.endsWith("3.json");
    const killed = {
      ...lake.store,
      delete: (key: string) => (isKilled(key) ? Promise.reject() : lake.store.delete(key)),
    };
    await openTable(killed, "feed", lake.duckdb, EAGER).commit(() => [domainAction("a", "1")]);
    await openTable(killed, "feed", lake.duckdb, EAGER).commit(() => [domainAction("a", "2")]);
    expect((await logNames(lake.store, "feed"))[0]).toBe("3.checkpoint.parquet");
    expect(values(await read("feed"))).toEqual(expected);
  });

  test("may compact a table and write its own checkpoint; we read on and commit on top", async () => {
    const table = openTable(lake.store, "plain", lake.duckdb);
    await createTable(table, PLAIN);
    for (const row of ROWS) {
      const add = await addRows(lake, "plain", row);
      await table.commit(() => [{ add }, { txn: { appId: "feed", version: 7 } }]);
    }
    const done = await optimizeWithPython(python as string, join(lake.directory, "plain"));
    expect(done).toEqual({ version: 4, removed: 3 });
    const compacted = await table.snapshot();
    expect([compacted.version, compacted.files.size]).toEqual([4, 1]);
    expect(await changesAfter({ ...lake, table: "plain" }, 3, compacted)).toEqual([]);

    await deleteCommits("plain");
    const reopened = openTable(lake.store, "plain", lake.duckdb);
    const fromTheirs = await reopened.snapshot();
    expect([...fromTheirs.files.keys()]).toEqual([...compacted.files.keys()]);
    expect(fromTheirs.txns.get("feed")?.version).toBe(7);
    const add = await addRows(lake, "plain", "('d', 4, 4, null, null, null, null)");
    expect((await reopened.commit(() => [{ add }]))?.version).toBe(5);
    expect((await read("plain")).rows).toHaveLength(4);

    const sql = "select sum(amount) as total, count(*) as n from plain";
    expect(await queryRows(lake.store, sql)).toEqual([{ total: "123456789012345682.0234567891", n: 4 }]);
  });
});
