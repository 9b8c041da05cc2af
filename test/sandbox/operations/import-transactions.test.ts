import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import { call } from "../../helpers/stand-in/caller.js";
import { sync } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
async function start(options: SandboxOptions = {}): Promise<void> {
  await sandbox?.close();
  sandbox = await startSandbox({ maxImportRows: 5, ...options });
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }, { id: "b" }] });
  sandbox.addLink({ fp_id: "u", id: "far", accounts: [{ id: "c" }] });
}
beforeEach(() => start());
afterEach(() => sandbox.close());

const send = (transactions: unknown) =>
  call(sandbox, "POST", "/bank_links/l/import/transactions", { body: { transactions } });
const row = (fields: object = {}) => ({ account_id: "a", amount: "12.50", date: "2026-11-02", ...fields });
const ids = () => sandbox.truth("l").rows.map(({ transaction_id }) => transaction_id);

test("imported rows come back through sync as created, after the cursor, once", async () => {
  const cursor = (await sync(sandbox, "l")).body.cursor.next ?? "";
  const answer = await send([
    row({ transaction_id: "mine-1", description: "Rent", transaction_type: "debit" }),
    row({ date: "2026-11-03T10:00:00Z", account_id: "b" }),
  ]);
  expect([answer.status, answer.text]).toEqual([200, "{}"]);
  const { transactions, cursor: after } = (await sync(sandbox, "l", { cursor })).body;
  expect(transactions.created).toEqual([
    expect.objectContaining({
      transaction_id: "mine-1",
      amount: "12.50",
      type: "debit",
      description: "Rent",
    }),
    expect.objectContaining({ account_id: "b", date: "2026-11-03", datetime: "2026-11-03T10:00:00Z" }),
  ]);
  expect((await sync(sandbox, "l", { cursor: after.next ?? "" })).body.transactions.created).toEqual([]);
  const { body } = await call(sandbox, "GET", "/users/u/linked_bank_transactions?account_ids=a,b");
  expect(body.total).toBe(2);
});

test.each([
  ["a row that is not an object", ["x"]],
  ["an account of another link", [row({ account_id: "c" })]],
  ["a date in another form", [row({ date: "02.11.2026" })]],
  ["an unknown type", [row({ transaction_type: "transfer" })]],
  ["more rows than are taken", Array.from({ length: 6 }, () => row())],
])("%s is refused, and no row of the call is taken", async (_rule, transactions) => {
  const bad =
    Array.isArray(transactions) && transactions.length === 1 ? [row(), ...transactions] : transactions;
  expect((await send(bad)).status).toBe(400);
  expect(ids()).toEqual([]);
});

test.each([
  ["double", 200, 2, "created"],
  ["update", 200, 1, "updated"],
  ["ignore", 200, 1, "created"],
  ["refuse", 400, 1, "created"],
] as const)(
  "a transaction_id that is there already, by the option %s",
  async (importDuplicates, status, rows, change) => {
    await start({ importDuplicates });
    await send([row({ transaction_id: "mine" })]);
    expect((await send([row({ transaction_id: "mine", amount: "99" })])).status).toBe(status);
    expect(ids()).toHaveLength(rows);
    expect(sandbox.truth("l").events.at(-1)?.change).toBe(change);
    expect(ids()[0]).toBe("mine");
  },
);

test("a lost answer and a part of a chunk: the rows are there all the same", async () => {
  sandbox.addFault({ kind: "status", status: 504, afterEffect: true, times: 1 });
  expect((await send([row({ transaction_id: "1" })])).status).toBe(504);
  sandbox.addFault({ kind: "partial_import", rows: 1, times: 1 });
  expect((await send([row({ transaction_id: "2" }), row({ transaction_id: "3" })])).status).toBe(500);
  expect(ids()).toEqual(["1", "2"]);
});

test("importing nothing is not a fault, and an unknown link is answered 404", async () => {
  expect((await send([])).text).toBe("{}");
  const body = { transactions: [] };
  expect((await call(sandbox, "POST", "/bank_links/none/import/transactions", { body })).status).toBe(404);
});
