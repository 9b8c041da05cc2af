import { afterEach, expect, test } from "vitest";
import {
  type NewEvent,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  transactionRow,
} from "../../../sandbox/index.js";
import { get, readUpdate, sync } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const created = (id: string): NewEvent => ({
  change: "created",
  row: transactionRow({ transaction_id: id }),
});
const removed = (id: string): NewEvent => ({ change: "removed", id });

async function startWith(events: readonly NewEvent[], options: SandboxOptions = {}): Promise<void> {
  sandbox = await startSandbox(options);
  sandbox.addLink({ fp_id: "fp", id: "l" });
  sandbox.append("l", events);
}

function idsOf(rows: readonly { transaction_id: string }[]): string[] {
  return rows.map((row) => row.transaction_id);
}

test("without a cursor the whole log is replayed in its order, with it only what came after", async () => {
  await startWith([created("1"), created("2"), removed("1")]);
  const { body } = await sync(sandbox, "l");
  expect(idsOf(body.transactions.created)).toEqual(["1", "2"]);
  expect(body.transactions.removed).toEqual(["1"]);
  expect(body.has_more).toBe(false);
  sandbox.append("l", [created("3")]);
  const later = await sync(sandbox, "l", { cursor: body.cursor.next ?? "" });
  expect(idsOf(later.body.transactions.created)).toEqual(["3"]);
  expect(later.body.cursor.next).not.toBe(body.cursor.next);
});

test("a cursor at the log's end gives empty lists and itself", async () => {
  await startWith([created("1")]);
  const cursor = (await sync(sandbox, "l")).body.cursor.next ?? "";
  const { body } = await sync(sandbox, "l", { cursor });
  expect(body).toEqual({
    cursor: { next: cursor },
    has_more: false,
    transactions: { created: [], updated: [], removed: [] },
  });
});

test("pages hold the size asked for, else the default, and the same cursor gives the same page", async () => {
  await startWith(
    Array.from({ length: 12 }, (_, i) => created(String(i))),
    { defaultSyncSize: 7 },
  );
  expect((await sync(sandbox, "l")).body.transactions.created).toHaveLength(7);
  const first = (await sync(sandbox, "l", { size: 5 })).body;
  expect(first.transactions.created).toHaveLength(5);
  expect(first.has_more).toBe(true);
  const cursor = first.cursor.next ?? "";
  const twice = [
    await sync(sandbox, "l", { size: 5, cursor }),
    await sync(sandbox, "l", { size: 5, cursor }),
  ];
  expect(twice[0]).toEqual(twice[1]);
  expect(idsOf(twice[0]!.body.transactions.created)).toEqual(["5", "6", "7", "8", "9"]);
});

test("a page ends before an event that grouping into lists would put before an earlier one", async () => {
  await startWith([created("1"), removed("1"), created("1"), removed("1"), created("1")]);
  const { body } = await sync(sandbox, "l", { size: 10 });
  expect([body.transactions.created.length, body.transactions.removed.length, body.has_more]).toEqual([
    1,
    1,
    true,
  ]);
  const rows = new Map<string, object>();
  await readUpdate(sandbox, "l", rows);
  expect([...rows.keys()]).toEqual(["1"]);
});

test("raw rows are served byte for byte", async () => {
  const raws = [
    '{"transaction_id":"n","amount":1e3}',
    '{"transaction_id":"d","amount":"1","amount":"12.345"}',
    '{"transaction_id":"s","description":"\\ud800","enrichment":"x"}',
    '{ "transaction_id" : "   " }',
  ];
  await startWith(raws.map((raw) => ({ change: "created", raw })));
  const text = await (await get(sandbox, "/bank_links/l/transactions/sync")).text();
  expect(text).toContain(`"created":[${raws.join(",")}]`);
  expect(sandbox.truth("l").rows.map((row) => row.text)).toEqual(raws);
});

test("a compacted history holds each row once, and its last cursor continues in the log", async () => {
  await startWith([created("1"), created("2"), removed("1"), created("3")], { history: "compacted" });
  const first = (await sync(sandbox, "l", { size: 1 })).body;
  expect(idsOf(first.transactions.created)).toEqual(["2"]);
  sandbox.append("l", [removed("2")]);
  const rows = new Map<string, object>([["2", {}]]);
  const cursor = await readUpdate(sandbox, "l", rows, { cursor: first.cursor.next ?? "", size: 1 });
  expect([...rows.keys()]).toEqual(["3"]);
  expect((await sync(sandbox, "l", { cursor })).body.transactions.created).toEqual([]);
});

test("cursors outlive a restart with the same world and secret, and no other secret reads them", async () => {
  await startWith([created("1")], { cursorSecret: "one" });
  const cursor = (await sync(sandbox, "l")).body.cursor.next ?? "";
  await sandbox.close();
  await startWith([created("1")], { cursorSecret: "one" });
  expect((await sync(sandbox, "l", { cursor })).status).toBe(200);
  await sandbox.close();
  await startWith([created("1")], { cursorSecret: "two" });
  expect((await sync(sandbox, "l", { cursor })).status).toBe(400);
});
