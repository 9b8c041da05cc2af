import { beforeEach, expect, test } from "vitest";
import { startSandbox, transactionRow } from "../../sandbox/index.js";
import { eachTest } from "../helpers/each-test.js";
import { ask, get, sync } from "../helpers/stand-in/reader.js";

const sandbox = eachTest(() => startSandbox({ recordRequests: 50 }));
beforeEach(async () => {
  sandbox.addLink({ fp_id: "fp", id: "l", accounts: [{ id: "a" }, { raw: '{"id":1e0}' }] });
});

const row = transactionRow;

test("requests are recorded in order with operation, link, cursor, status and fault, never a key", async () => {
  sandbox.addFault({ kind: "status", status: 503, nth: 2 });
  const cursor = (await sync(sandbox, "l", { size: 5 })).body.cursor.next ?? "";
  await sync(sandbox, "l", { cursor });
  await get(sandbox, "/nowhere", "wrong key");
  const [first, second, third] = sandbox.requests();
  expect(first).toMatchObject({
    operation: "sync_transactions",
    link: "l",
    query: { size: "5" },
    status: 200,
  });
  expect(first?.cursor).toBeUndefined();
  expect(second).toMatchObject({ cursor, status: 503, fault: "status" });
  expect(third).toMatchObject({ operation: undefined, path: "/nowhere", status: 401 });
  expect(sandbox.requests({ link: "l", cursor })).toHaveLength(1);
  expect(JSON.stringify(sandbox.requests())).not.toContain(sandbox.apiKey);
});

test("counts continue where single requests are no longer kept", async () => {
  for (let i = 0; i < 120; i++) await get(sandbox, "/users/fp");
  expect(sandbox.requests()).toHaveLength(50);
  expect(sandbox.calls()).toMatchObject({
    total: 120,
    by_operation: { get_user: 120 },
    by_status: { 200: 120 },
  });
  sandbox.clearRequests();
  expect([sandbox.requests().length, sandbox.calls().total]).toEqual([0, 0]);
});

test("the most calls in flight at once are counted", async () => {
  sandbox.addFault({ kind: "hang", times: 7 });
  const begun = sandbox.waitForRequests(7);
  const hanging = new AbortController();
  const authorization = `Basic ${btoa(`${sandbox.apiKey}:`)}`;
  const hang = () => fetch(`${sandbox.url}/users/fp`, { headers: { authorization }, signal: hanging.signal });
  const pending = Promise.allSettled(Array.from({ length: 7 }, hang));
  await begun;
  expect(sandbox.calls()).toMatchObject({ in_flight: 7, max_in_flight: 7 });
  hanging.abort();
  await pending;
  await expect.poll(() => sandbox.calls().in_flight).toBe(0);
  await get(sandbox, "/users/fp");
  expect(sandbox.calls().max_in_flight).toBe(7);
});

test("totals are exact to the tenth decimal, and rows without a decimal amount are counted apart", () => {
  const rows = [
    row({ transaction_id: "1", account_id: "a", amount: "999999999999999999.9999999999", type: "credit" }),
    row({ transaction_id: "2", account_id: "a", amount: "0.0000000001", type: "debit" }),
    row({ transaction_id: "3", account_id: "a", amount: "-0.1", type: "credit" }),
    row({ transaction_id: "4", account_id: "a", amount: "1e3" }),
  ];
  sandbox.append(
    "l",
    rows.map((value) => ({ change: "created", row: value })),
  );
  expect(sandbox.totals("l")).toEqual([
    {
      account_id: "a",
      rows: 4,
      amount: "999999999999999999.9000000000",
      signed_amount: "1000000000000000000.0999999998",
      unreadable: 1,
    },
  ]);
});

test("the list of transactions is the truth of now, filtered by account and day, in pages", async () => {
  const dated = (id: string, account_id: string, date: string) =>
    ({ change: "created", row: row({ transaction_id: id, account_id, date }) }) as const;
  sandbox.append("l", [
    dated("1", "a", "2026-01-01"),
    dated("2", "a", "2026-01-02"),
    dated("3", "b", "2026-01-03"),
    dated("4", "a", "2026-01-04"),
    dated("5", "a", "2026-01-05"),
    { change: "removed", id: "4" },
  ]);
  const path = "/users/fp/linked_bank_transactions?account_ids=a,c&start_date=2026-01-02&end_date=2026-01-05";
  const { body } = await ask<{ transactions: { transaction_id: string }[] }>(
    sandbox,
    `${path}&size=1&page=2`,
  );
  expect(body).toMatchObject({ page: 2, size: 1, total: 2 });
  expect(body.transactions.map((transaction) => transaction.transaction_id)).toEqual(["5"]);
  expect((await ask(sandbox, `${path}&page=9`)).body).toMatchObject({
    page: 9,
    size: 100,
    total: 2,
    transactions: [],
  });
});

test("links and accounts have every field of the contract, and raw ones are served as given", async () => {
  const { body } = await ask<{ links: object[] }>(sandbox, "/users/fp/bank_links");
  const fields = ["id", "fp_id", "created_at", "state", "available_products", "products", "institution_id"];
  expect(Object.keys(body.links[0] ?? {})).toEqual(expect.arrayContaining(fields));
  for (const path of ["/users/fp/linked_bank_accounts", "/bank_links/l/accounts"]) {
    const text = await (await get(sandbox, path)).text();
    expect(text).toMatch(/^\{"accounts":\[\{"id":"a","link_id":"l",.*\},\{"id":1e0\}\]\}$/);
  }
  sandbox.setLink("l", { state: "error", error_code: "auth_expired" });
  const changed = await ask<{ links: object[] }>(sandbox, "/users/fp/bank_links");
  expect(changed.body.links[0]).toMatchObject({ id: "l", state: "error", error_code: "auth_expired" });
});
