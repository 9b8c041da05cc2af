import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AddFile } from "../../../src/lake/delta/delta-actions.js";
import { changesAfter } from "../../../src/lake/delta/delta-log.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { compact, compactMany, filesToMerge } from "../../../src/lake/tables/compact.js";
import { addOf, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));

const files = (...rows: readonly number[]): AddFile[] =>
  rows.map((numRecords, at) => ({
    path: `${at}`,
    partitionValues: {},
    size: 1,
    modificationTime: 0,
    dataChange: false,
    stats: JSON.stringify({ numRecords }),
  }));
test("rows in no order are merged too, until few files are left", async () => {
  for (let part = 0; part < 20; part += 1) await append(part * 2, 2);
  await compact(lake, webhookEvents);
  expect((await lake.table(webhookEvents.name).snapshot()).files.size).toBe(1);
  expect((await idsInTable()).sort()).toEqual(Array.from({ length: 40 }, (_, at) => id(at)));
});

const id = (n: number) => `msg_${String(n).padStart(5, "0")}`;

async function append(n: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    message_id: id(n + at),
    received_at: new Date(Date.UTC(2026, 0, 1) + (n + at) * 3_000).toISOString(),
  }));
  const [file] = await writeRows(lake, webhookEvents, "events", rows);
  if (file === undefined) throw new Error("no rows");
  await lake.table(webhookEvents.name).commit(({ version }) => {
    return [...(version === -1 ? creationOf(webhookEvents, 0) : []), { add: addOf(file) }];
  });
}

const idsInTable = () =>
  readTables(lake, [webhookEvents], async (sql) =>
    (await sql.rows("select message_id from webhook_events")).map((row) => String(row.message_id)),
  );

test("a table that grows by one file at a time keeps few files and every row", async () => {
  const most: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    await append(n, 1);
    await compactMany(lake, webhookEvents, ["received_at", "message_id"]);
    most.push((await lake.table(webhookEvents.name).snapshot()).files.size);
  }
  expect(Math.max(...most)).toBeLessThanOrEqual(2 * 16);
  expect((await idsInTable()).sort()).toEqual(Array.from({ length: 300 }, (_, n) => id(n)));
});

test("of two that compact at once one counts, and no row is lost or doubled", async () => {
  for (let n = 0; n < 16; n += 1) await append(n, 1);
  const other = openLake({ directory: temp.path });
  try {
    await Promise.all([lake, other].map((one) => compactMany(one, webhookEvents, ["received_at"])));
  } finally {
    await other.close();
  }
  expect((await idsInTable()).sort()).toEqual(Array.from({ length: 16 }, (_, n) => id(n)));
  // The file of the one that lost stayed for days, also where `forget` had erased its rows meanwhile.
  const names = await readdir(join(temp.path, webhookEvents.name));
  expect(names.filter((name) => name.startsWith("compacted"))).toHaveLength(1);
});

test("readers of changes see no new rows in a compacted file", async () => {
  for (let n = 0; n < 16; n += 1) await append(n, 1);
  const table = lake.table(webhookEvents.name);
  const { version } = await table.snapshot();
  await compactMany(lake, webhookEvents, ["received_at"]);
  const after = await table.snapshot();
  expect(after.version).toBe(version + 1);
  expect(await changesAfter({ ...lake, table: webhookEvents.name }, version, after)).toEqual([]);
});

test("files that lack a column are merged, and the column is null in their rows", async () => {
  const younger = {
    ...webhookEvents,
    columns: [...webhookEvents.columns, { name: "later", type: "BIGINT" }],
  } as const;
  for (let n = 0; n < 16; n += 1) await append(n, 1);
  await compactMany(lake, younger, ["message_id"]);
  expect((await lake.table(webhookEvents.name).snapshot()).files.size).toBe(1);
  const rows = await readTables(lake, [younger], (sql) =>
    sql.rows("select message_id, later from webhook_events order by message_id limit 1"),
  );
  expect(rows).toEqual([{ message_id: id(0), later: null }]);
});

test("small files are put together up to the target, in their order; large ones and single ones stay", () => {
  const merges = (rows: number, bytes: number, ...of: readonly number[]) =>
    filesToMerge(files(...of), 2, { rows, bytes }).map((some) => some.map(({ path }) => Number(path)));
  expect(merges(10, 100, 1, 1, 1)).toEqual([[0, 1, 2]]);
  expect(merges(10, 100, 4, 4, 4, 4, 1)).toEqual([
    [0, 1],
    [2, 3, 4],
  ]);
  expect(merges(10, 100, 6, 1, 7, 5)).toEqual([[1, 3]]);
  expect(merges(10, 100, 1)).toEqual([]);
  expect(merges(100, 3, 1, 1, 1, 1)).toEqual([[0, 1, 2]]);
  expect(merges(100, 1, 1, 1)).toEqual([]);
  expect(filesToMerge(files(...Array(15).fill(1)), 16)).toEqual([]);
  expect(filesToMerge(files(...Array(16).fill(1)), 16)).toHaveLength(1);
});

test("a table becomes few files, in commits that change no row and that a second call does not repeat", async () => {
  for (let part = 0; part < 5; part += 1) await append(part * 2, 2);
  const { version } = await lake.table(webhookEvents.name).snapshot();
  await compact(lake, webhookEvents);
  await compact(lake, webhookEvents);
  const after = await lake.table(webhookEvents.name).snapshot();
  expect([after.files.size, after.version]).toEqual([1, version + 1]);
  const location = { ...lake, table: webhookEvents.name };
  expect(await changesAfter(location, version, after)).toEqual([]);
  expect((await idsInTable()).sort()).toEqual(Array.from({ length: 10 }, (_, at) => id(at)));
});

test("a file that was changed is merged with none: the log would say of the new one that it is right", async () => {
  for (let part = 0; part < 20; part += 1) await append(part * 2, 2);
  const { files: live } = await lake.table(webhookEvents.name).snapshot();
  const [file] = live.keys();
  const path = join(temp.path, webhookEvents.name, String(file));
  const bytes = await readFile(path);
  bytes[bytes.length - 1] = 0;
  await writeFile(path, bytes);
  await expect(compact(lake, webhookEvents)).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringContaining(
      `${file} was changed: its sha256 is not the one in the table's log. No files`,
    ),
  });
  await compactMany(lake, webhookEvents);
  expect((await lake.table(webhookEvents.name).snapshot()).files.size).toBe(20);
});

test("a merged file is as new as the newest of its files, whoever's clock wrote that", async () => {
  const ahead = Date.now() + 3_600_000;
  for (const n of [1, 2]) {
    const written = await writeRows(lake, webhookEvents, "test", [{ message_id: `msg_${n}` }]);
    await lake
      .table(webhookEvents.name)
      .commit((snapshot) => [
        ...(snapshot.version < 0 ? creationOf(webhookEvents, 0) : []),
        ...written.map((file) => ({ add: { ...addOf(file), modificationTime: ahead + n } })),
      ]);
  }
  await compact(lake, webhookEvents);
  const { files: live } = await lake.table(webhookEvents.name).snapshot();
  expect([...live.values()].map(({ modificationTime }) => modificationTime)).toEqual([ahead + 2]);
});
