import { beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { eachTest } from "../helpers/each-test.js";
import { call } from "../helpers/stand-in/caller.js";

const sandbox = eachTest(startSandbox);
beforeEach(async () => {
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }, { id: "b" }] });
});

const read = async (query = "") =>
  (await call(sandbox, "GET", `/bank_links/l/investments/transactions${query}`)).body;
const idsOf = (page: { investment_transactions: { investment_transaction_id: string }[] }) =>
  page.investment_transactions.map((row) => row.investment_transaction_id);

function fill(count: number): void {
  const transactions = Array.from({ length: count }, (_, index) => ({
    investment_transaction_id: `i${index}`,
    account_id: index % 2 === 0 ? "a" : "b",
    date: `2026-01-${String(28 - index).padStart(2, "0")}`,
    security_id: `s${index % 3}`,
  }));
  const securities = ["s0", "s1", "s2"].map((security_id) => ({ security_id, name: security_id }));
  sandbox.investments.add("l", { transactions, securities });
}

test("a page has the securities of its rows", async () => {
  fill(5);
  const page = await read("?size=2&page=2");
  expect(idsOf(page)).toEqual(["i2", "i3"]);
  expect(page.securities).toEqual(["s2", "s0"].map((security_id) => ({ security_id, name: security_id })));
});

test("a list that moves: a row that came in repeats one, a row that went skips one; total tells", async () => {
  fill(6);
  sandbox.addFault({ kind: "list_moves", page: 1, times: 1 });
  expect(idsOf(await read("?size=2"))).toEqual(["i0", "i1"]);
  const shifted = await read("?size=2&page=2");
  expect([idsOf(shifted), shifted.total]).toEqual([["i1", "i2"], 7]);
  sandbox.addFault({ kind: "list_moves", how: "remove", page: 2 });
  const skipped = await read("?size=2&page=3");
  expect([idsOf(skipped), skipped.total]).toEqual([["i4", "i5"], 6]);
});

test("a page can be made to hold the rows of the one before", async () => {
  fill(6);
  sandbox.addFault({ kind: "page_repeated", page: 1 });
  const page = await read("?size=2&page=2");
  expect([page.page, idsOf(page)]).toEqual([2, ["i0", "i1"]]);
});

test("seeded rows have amounts as strings and as numbers, and are the same for the same seed", async () => {
  sandbox.investments.fill("l", 150, 4);
  const { transactions } = sandbox.investments.truth("l") as { transactions: Record<string, unknown>[] };
  expect(new Set(transactions.map(({ amount }) => typeof amount))).toEqual(new Set(["string", "number"]));
  const seen: unknown[] = [];
  for (const page of [1, 2]) seen.push(...(await read(`?page=${page}`)).investment_transactions);
  expect(seen).toEqual(transactions);
  sandbox.addLink({ fp_id: "v", id: "l2", accounts: [{ id: "a2" }] });
  const before = JSON.stringify(sandbox.investments.truth("l"));
  sandbox.investments.fill("l2", 5, 4);
  expect(JSON.stringify(sandbox.investments.truth("l"))).toBe(before);
});

test("a list of transactions moves under its reader too", async () => {
  const created = (n: number) =>
    ({ change: "created", raw: `{"transaction_id":"t${n}","account_id":"a","date":"2026-01-01"}` }) as const;
  sandbox.append("l", [1, 2, 3, 4].map(created));
  const list = async (page: number) =>
    (await call(sandbox, "GET", `/users/u/linked_bank_transactions?size=2&page=${page}`)).body;
  sandbox.addFault({ kind: "list_moves", page: 1, times: 1 });
  expect((await list(1)).total).toBe(4);
  expect(await list(2)).toMatchObject({ total: 3, transactions: [{ transaction_id: "t4" }] });
});
