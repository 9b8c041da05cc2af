import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox, transactionRow } from "../../../sandbox/index.js";
import { ask, readUpdate, sync } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
  sandbox.addLink({ fp_id: "fp", id: "l" });
  const ids = Array.from({ length: 9 }, (_, i) => `t${i}`);
  sandbox.append(
    "l",
    ids.map((transaction_id) => ({ change: "created", row: transactionRow({ transaction_id }) })),
  );
});
afterEach(() => sandbox.close());

const page = async (cursor?: string) =>
  (await sync(sandbox, "l", cursor === undefined ? { size: 3 } : { size: 3, cursor })).body;
const statusOf = async (cursor: string) => (await sync(sandbox, "l", { size: 3, cursor })).status;

async function expectWhole(): Promise<void> {
  const rows = new Map<string, object>();
  await readUpdate(sandbox, "l", rows, { size: 3 });
  expect(rows.size).toBe(9);
}

test("log changed under pagination: the update's cursors are refused, a start from its first works", async () => {
  const atRest = await readUpdate(sandbox, "l", new Map());
  sandbox.append(
    "l",
    [1, 2, 3, 4].map((n) => ({ change: "removed", id: `t${n}` })),
  );
  sandbox.addFault({ kind: "log_changed", page: 1, times: 1 });
  const next = (await page(atRest)).cursor.next ?? "";
  expect(await statusOf(next)).toBe(400);
  expect(await statusOf(next)).toBe(400);
  const again = (await page(atRest)).cursor.next ?? "";
  expect(again).not.toBe(next);
  expect(await statusOf(again)).toBe(200);
});

test("stored cursor refused: no cursor given out so far is good again, a new history works", async () => {
  const stored = await readUpdate(sandbox, "l", new Map());
  const middle = (await page()).cursor.next ?? "";
  sandbox.addFault({ kind: "cursor_refused", times: 1, status: 410 });
  expect(await statusOf(stored)).toBe(410);
  expect(await statusOf(stored)).toBe(400);
  expect(await statusOf(middle)).toBe(400);
  await expectWhole();
});

test("loop: has_more stays true with next missing, empty, null or the cursor sent", async () => {
  const cursor = (await page()).cursor.next ?? "";
  const forms = [
    ["missing", {}],
    ["empty", { next: "" }],
    ["null", { next: null }],
    ["same", { next: cursor }],
  ] as const;
  for (const [next, expected] of forms) {
    sandbox.addFault({ id: "loop", kind: "loop", next });
    const body = await page(cursor);
    expect([body.has_more, body.cursor]).toEqual([true, expected]);
  }
});

test("not ready: empty lists and no next until it is cleared", async () => {
  const id = sandbox.addFault({ kind: "not_ready", link: "l", next: "empty" });
  const empty = { created: [], updated: [], removed: [] };
  expect(await page()).toEqual({ cursor: { next: "" }, has_more: false, transactions: empty });
  expect(sandbox.removeFault(id)).toBe(true);
  await expectWhole();
});

test("refused size: above the bound 400, up to it and without a size 200", async () => {
  sandbox.addFault({ kind: "size_refused", above: 100 });
  expect((await sync(sandbox, "l", { size: 101 })).status).toBe(400);
  expect((await sync(sandbox, "l", { size: 100 })).status).toBe(200);
  expect((await sync(sandbox, "l")).status).toBe(200);
  sandbox.addFault({ kind: "size_refused" });
  expect((await sync(sandbox, "l", { size: 1 })).status).toBe(400);
  expect((await sync(sandbox, "l")).status).toBe(200);
});

test("empty pages: has_more true with a good, new next; the rows all come", async () => {
  sandbox.addFault({ kind: "empty_page", times: 2 });
  const first = await page();
  const second = await page(first.cursor.next ?? "");
  expect(first.transactions.created).toEqual([]);
  expect([first.has_more, second.has_more]).toEqual([true, true]);
  expect(second.cursor.next).not.toBe(first.cursor.next);
  expect((await page(second.cursor.next ?? "")).transactions.created).toHaveLength(3);
});

test("page replayed: the next cursor gives the same transactions again, then the log continues", async () => {
  sandbox.addFault({ kind: "page_replayed", page: 1, times: 1 });
  const first = await page();
  const second = await page(first.cursor.next ?? "");
  const replay = await page(second.cursor.next ?? "");
  const last = await page(replay.cursor.next ?? "");
  expect(replay.transactions).toEqual(second.transactions);
  expect(last.transactions.created.map((row) => row.transaction_id)).toEqual(["t6", "t7", "t8"]);
});

test("cursor never given: the last page has no next, or the one that was sent", async () => {
  const cursor = (await sync(sandbox, "l", { size: 6 })).body.cursor.next ?? "";
  sandbox.addFault({ kind: "no_cursor" });
  const whole = (await sync(sandbox, "l", { size: 500 })).body;
  expect([whole.transactions.created.length, whole.has_more, whole.cursor]).toEqual([9, false, {}]);
  sandbox.clearFaults();
  sandbox.addFault({ kind: "no_cursor", next: "same" });
  const same = await page(cursor);
  expect([same.transactions.created.length, same.has_more, same.cursor.next]).toEqual([3, false, cursor]);
});

test("link gone between list and sync: it is listed, its calls are answered 404", async () => {
  sandbox.addFault({ kind: "link_gone", link: "l" });
  const { body } = await ask<{ links: { id: string }[] }>(sandbox, "/users/fp/bank_links");
  expect(body.links.map((link) => link.id)).toEqual(["l"]);
  expect((await sync(sandbox, "l")).status).toBe(404);
  expect((await ask(sandbox, "/bank_links/l/accounts")).status).toBe(404);
});

test("a removed link is neither listed nor readable", async () => {
  sandbox.removeLink("l");
  expect((await ask(sandbox, "/users/fp/bank_links")).body).toEqual({ links: [] });
  expect((await sync(sandbox, "l")).status).toBe(404);
});
