import { afterEach, expect, test } from "vitest";
import {
  type NewEvent,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  transactionRow,
} from "../../../sandbox/index.js";
import { readUpdate, sync } from "../../helpers/stand-in/reader.js";

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
