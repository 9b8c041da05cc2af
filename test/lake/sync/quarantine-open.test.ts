import { afterEach, beforeEach, expect, test } from "vitest";
import type { TableSpec } from "../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import {
  closeRowsOfLists,
  openQuarantine,
  quarantinedRows,
  resolveRows,
} from "../../../src/lake/sync/quarantine.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { compact } from "../../../src/lake/tables/compact.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { TABLES } from "../../../src/tables.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { queryRows } from "../../helpers/query/query-rows.js";

const base = eachTest(openTestLake);
let lake: Lake;
let read: string[];
let appends: number;
beforeEach(async () => {
  read = [];
  appends = 0;
  lake = openLake({ directory: base.directory, store: noting(base.store) });
});
afterEach(async () => {
  await lake.close();
});

/** The same store, which notes what is read of it. */
function noting(store: ObjectStore): ObjectStore {
  return new Proxy(store, {
    get(target, name) {
      const value = target[name as keyof ObjectStore];
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name !== "upload") read.push(String(given[0]));
        return (value as (...given: unknown[]) => unknown).apply(target, given);
      };
    },
  });
}

async function append(table: TableSpec, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  appends += 1;
  await appendOnce(lake, table, `test/${appends}`, () =>
    writeRows(lake, table, String(rows[0]?.run_id), rows),
  );
}

/** Nights are days from now on: a file is never older than its rows. */
const night = (n: number, second = 0) => new Date(Date.UTC(2026, 0, n, 2, 0, second)).toISOString();
const place = { stream: "transactions", fp_id: "fp", link_id: "a", page: 0, index: 0, list: "created" };
const bad = (n: number, payload: unknown, more: object = {}) =>
  append(quarantine, [
    {
      ...{ ...place, run_id: `run-${n}`, fetched_at: night(n), reason: "amount: not a decimal string" },
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
      ...more,
    },
  ]);
const badRow = { transaction_id: "t", amount: "1e3" };
const change = (n: number, more: object = {}) =>
  append(transactionChanges, [
    {
      ...{ link_id: "a", fp_id: "fp", transaction_id: "t", change_type: "updated" },
      ...{ run_id: `run-${n}`, fetched_at: night(n), ...more },
    },
  ]);
const synced = (n: number, more: object = {}) =>
  append(linkSyncs, [
    {
      ...{ run_id: `run-${n}`, link_id: "a", fp_id: "fp", status: "synced", certificate: `cert-${n}` },
      ...{ cursor_in: "c", finished_at: night(n, 30), ...more },
    },
  ]);

const readAccounts = (n: number, fpId: string) =>
  closeRowsOfLists(lake, "accounts", `run-${n}/0`, `run-${n}`, [
    { fpId, linkId: null, readAt: new Date(night(n)) },
  ]);

/** Dates the file that a table got last. */
async function dateLastFile(table: string, modificationTime: number): Promise<void> {
  await lake.table(table).commit(({ files }) => {
    const add = [...files.values()].at(-1);
    return add === undefined ? null : [{ add: { ...add, modificationTime } }];
  });
}

const isFeedFile = (key: string) => /^transaction_changes\/[^_].*parquet$/.test(key);

/** Open rows, as the function and the view of `query` count them: they must agree. */
async function open(): Promise<number> {
  const { rows } = await openQuarantine(lake);
  const seen = await queryRows(base.store, "select row_id from quarantine_open", { tables: TABLES });
  expect(seen).toHaveLength(rows);
  return rows;
}

const closedBy = async () => (await quarantinedRows(lake, { all: true })).map(({ closed_by }) => closed_by);

test("a later good change of the same transaction of the same link closes a bad row, and nothing else does", async () => {
  await change(1);
  await bad(2, badRow);
  await synced(2);
  expect(await open()).toBe(1);
  await change(3, { link_id: "b" });
  await change(3, { transaction_id: "other" });
  await synced(3);
  expect(await open()).toBe(1);
  await change(4);
  expect(await open()).toBe(0);
  expect(await closedBy()).toEqual(["change"]);
});

test.for([
  ["a removal", "created", { change_type: "removed" }, 0],
  ["an update in the same page", "created", { run_id: "run-2", fetched_at: night(2) }, 0],
  [
    "a creation in the same page",
    "updated",
    { run_id: "run-2", fetched_at: night(2), change_type: "created" },
    1,
  ],
  ["an earlier page", "created", { run_id: "run-2", fetched_at: night(1) }, 1],
] as const)("%s: %s", async ([, list, more, rows]) => {
  await bad(2, badRow, { list });
  await change(3, more);
  expect(await open()).toBe(rows);
});

test.for([
  ["a bad removal whose id can be read", '"t"', "removed", 0],
  [
    "half of a surrogate pair beside the id",
    '{"transaction_id":"t","description":"\\ud800 x"}',
    "created",
    0,
  ],
  ["an id that appears twice", '{"transaction_id":"t","transaction_id":"t"}', "created", 1],
  ["an id that is a number", '{"transaction_id":1}', "created", 1],
  ["an id of something within", '{"enrichment":{"transaction_id":"t"}}', "created", 1],
  ["what is not an object", "[1]", "created", 1],
  ["a removed number", "17", "removed", 1],
  ["what is not JSON", "{", "created", 1],
] as const)("after a good change, %s", async ([, payload, list, rows]) => {
  await bad(2, payload, { list });
  await change(3);
  expect(await open()).toBe(rows);
});

test("a full reading that was committed later closes every bad row before it; its own stay open", async () => {
  await synced(1, { cursor_in: null });
  await bad(2, "[1]");
  await synced(2);
  await synced(3, { link_id: "b", cursor_in: null });
  await synced(3, { cursor_in: null, certificate: null, status: "failed" });
  await synced(4);
  expect(await open()).toBe(1);
  await bad(5, "[1]");
  await synced(5, { cursor_in: null });
  expect(await open()).toBe(1);
  expect(await closedBy()).toEqual([null, "reading"]);
});

test("a bad row of a reading that was thrown away is closed by the next one that is committed", async () => {
  await bad(2, "[1]");
  await synced(2, { certificate: null, status: "failed" });
  await synced(3, { certificate: null, status: "skipped" });
  expect(await open()).toBe(1);
  await synced(4);
  expect(await open()).toBe(0);
});

test("a bad account is closed when the user's accounts are read again, well or badly", async () => {
  const accounts = { stream: "accounts", link_id: null, list: "accounts" };
  await bad(1, "{}", accounts);
  await readAccounts(2, "other");
  expect(await open()).toBe(1);
  await bad(2, "{}", accounts);
  expect(await open()).toBe(1);
  await readAccounts(3, "fp");
  expect(await open()).toBe(0);
});

test("a row is closed for a reason, once; others stay open", async () => {
  await bad(1, "[1]");
  await bad(1, "[2]", { index: 1 });
  await bad(2, "[1]", { link_id: "b" });
  const [newest] = await quarantinedRows(lake, {});
  expect(await resolveRows(lake, { rows: [String(newest?.row_id)] }, "the bank's test row")).toHaveLength(1);
  expect(await resolveRows(lake, { rows: [String(newest?.row_id)] }, "again")).toEqual([]);
  expect(await openQuarantine(lake)).toEqual({
    rows: 2,
    owners: [{ owner: "a", rows: 2 }],
    since: night(1),
  });
  expect(await resolveRows(lake, { run: "run-1", link: "b" }, "none")).toEqual([]);
  expect(await resolveRows(lake, { link: "a" }, "seen")).toHaveLength(2);
  expect(await open()).toBe(0);
  const closed = await quarantinedRows(lake, { all: true });
  expect(closed.map(({ closed_by, closing_reason }) => [closed_by, closing_reason])).toEqual([
    ["person", "the bank's test row"],
    ["person", "seen"],
    ["person", "seen"],
  ]);
  expect(closed.every((row) => !("payload" in row))).toBe(true);
});

test("what nobody has closed but the feed is in no table, and rows that a person closed are not looked for again", async () => {
  await bad(1, badRow);
  await bad(1, "[1]", { link_id: "b" });
  await change(2);
  const [row, other] = await quarantinedRows(lake, { all: true, run: "run-1" });
  expect([row?.closed_by, row?.closed_at, other?.closed_by]).toEqual(["change", null, null]);
  await resolveRows(lake, { link: "b" }, "seen");
  expect((await lake.table("quarantine_resolutions").snapshot()).files.size).toBe(1);
  await change(3, { link_id: "b", transaction_id: "other" });
  read = [];
  expect(await openQuarantine(lake)).toEqual({ rows: 0, owners: [], since: null });
  expect(read.filter(isFeedFile)).toEqual([expect.stringContaining("/run-2-")]);
});

test("a lake without bad rows: nothing of the feed is read, and nothing is open", async () => {
  expect(await openQuarantine(lake)).toEqual({ rows: 0, owners: [], since: null });
  await change(1);
  await synced(1);
  read = [];
  expect(await open()).toBe(0);
  await openQuarantine(lake);
  expect(read.filter((key) => /^(transaction_changes|link_syncs)\//.test(key))).toEqual([]);
});

test("what a row's own run says of it counts after its file was merged with others, long ago", async () => {
  const days = (n: number) => new Date(Date.now() - n * 86_400_000);
  await bad(1, badRow, { fetched_at: days(30).toISOString() });
  await synced(1, { certificate: null, finished_at: days(30).toISOString() });
  await synced(2, { link_id: "b", finished_at: days(29).toISOString() });
  await compact(lake, linkSyncs);
  await dateLastFile("link_syncs", days(20).getTime());
  await synced(3, { finished_at: days(0).toISOString() });
  expect(await open()).toBe(0);
});

test("of the feed, only files are read that may hold what closes an open row", async () => {
  const later = Date.now() + 86_400_000;
  await change(1, { link_id: "z" });
  await change(2);
  await bad(3, badRow, { fetched_at: new Date(later).toISOString() });
  read = [];
  expect((await openQuarantine(lake)).rows).toBe(1);
  expect(read.filter(isFeedFile)).toEqual([]);
  await bad(3, badRow, { index: 1 });
  await openQuarantine(lake);
  expect(read.filter(isFeedFile)).toEqual([expect.stringContaining("/run-2-")]);
});
