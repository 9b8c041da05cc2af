import { afterEach, expect, it } from "vitest";
import { findTaken, namesInLink, paymentOf } from "../../../src/activities/calls/import-resolution.js";
import { RejectedError } from "../../../src/api/http/errors.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

/** A page of a link's history; its one row has the name of its cursor. */
const page = (at: string | null, next: unknown, has_more: boolean) => ({
  cursor: { next },
  has_more,
  transactions: { created: [{ account_id: "a", transaction_id: `t${at}` }], updated: [], removed: [] },
});

/** Which rows a history has that answers each request, counted from 1, with a page or a refusal. */
async function found(answer: (cursor: string | null, request: number) => object | number) {
  let requests = 0;
  server = await startFaultServer((request, response) => {
    if (request.url === "/bank_links/l/accounts") return json(response, { accounts: [{ id: "a" }] });
    requests += 1;
    const given = answer(new URL(request.url ?? "", "http://x").searchParams.get("cursor"), requests);
    if (typeof given === "number") json(response, {}, given);
    else json(response, given);
  });
  const wanted = new Set(["tnull", "t1", "t2", "t9"].map((id) => JSON.stringify(["a", id])));
  const names = await namesInLink(server.client(), "l", wanted, {});
  return [...names].map((name) => (JSON.parse(name) as string[])[1]);
}

const asked = () => server.requests.slice(1).map((line) => line.split("cursor=")[1] ?? null);

it("every page of the history counts, and no row that is not wanted", async () => {
  const names = await found((cursor) => page(cursor, String(Number(cursor) + 1), cursor !== "3"));
  expect(names).toEqual(["tnull", "t1", "t2"]);
  expect(asked()).toEqual([null, "1", "2", "3"]);
});

it.each([undefined, null, "", "1"])("more is promised with next %j: broken, never a spin", async (next) => {
  const error = await rejection(found((cursor) => page(cursor, next, true)));
  expect(error).toMatchObject({ name: "SchemaError", path: "cursor.next" });
});

it.each([
  [
    "without rows",
    (cursor: string) => ({
      ...page(cursor, "", true),
      transactions: { created: [], updated: [], removed: [] },
    }),
  ],
  ["that repeat the one before", () => page("1", "", true)],
])("more is promised on a hundred pages in a row %s: broken, never a spin", async (_, answer) => {
  const error = await rejection(
    found((cursor, request) =>
      request > 150 ? 500 : { ...answer(cursor ?? ""), cursor: { next: `${request}` } },
    ),
  );
  expect(error).toMatchObject({ name: "SchemaError", path: "cursor.next" });
});

// Where a taken payment is not known by its amount, a refused import is sent again: it was posted twice.
it.each([
  ["1000.50", '"1000.50"'],
  ["1000.50", '"-1000.5000"'],
  ["1000.50", "1000.5"],
  ["1000.50", "1000.50"],
  ["-0.0000001", "1e-7"],
  ["123456789012345678.01", "123456789012345678.01"],
])("a payment of %s that comes back as %s is there", async (amount, listed) => {
  server = await startFaultServer((request, response) => {
    if (request.url === "/bank_links/l/accounts") return json(response, { accounts: [{ id: "a" }] });
    const row = `{"account_id":"a","transaction_id":"t","amount":${listed}}`;
    response.setHeader("content-type", "application/json");
    response.end(`{"has_more":false,"transactions":{"created":[${row}],"updated":[],"removed":[]}}`);
  });
  const payment = paymentOf({ account_id: "a", transaction_id: "t", amount, date: "2026-11-01" });
  const names = await namesInLink(server.client(), "l", new Set([payment]), {}, (row) => [paymentOf(row)]);
  expect([...names]).toEqual([payment]);
});

// It was sent again by halves, and was there twice.
it.each([
  ["x1", {}, { found: 0, unknown: [0], refused: { missing: [1] } }],
  ["x1", { isSeen: true }, undefined],
  ["x1", { beside: ["x1"] }, undefined],
  ["t1", {}, { found: 1, unknown: [], refused: { missing: [1] } }],
])("a row of a refused import that is there as %s, with %j: %j", async (id, evidence, found) => {
  const there = { account_id: "a", transaction_id: id, amount: 10, date: "2026-11-01T00:00:00Z" };
  server = await startFaultServer((request, response) => {
    if (request.url === "/bank_links/l/accounts") return json(response, { accounts: [{ id: "a" }] });
    json(response, { has_more: false, transactions: { created: [there], updated: [], removed: [] } });
  });
  const rowOf = (n: number) =>
    ({ account_id: "a", transaction_id: `t${n}`, amount: `-${n}0.00`, date: "2026-11-01" }) as const;
  const refusal = new RejectedError({ operation: "import_transactions", sent: true, status: 422 });
  const { beside = [], isSeen = false } = evidence as { beside?: string[]; isSeen?: boolean };
  const rows = beside.map((transaction_id) => ({ link_id: "l", account_id: "a", transaction_id }));
  const params = { path: { link_id: "l" }, body: { transactions: [rowOf(1), rowOf(2)] as never } };
  const taken = await findTaken(server.client(), params, {}, { isSeen, beside: rows }, refusal);
  if (found === undefined) expect(taken).toBeUndefined();
  else expect(taken).toMatchObject({ effect: found });
});

it("a refusal in the middle begins again: what was read before is void", async () => {
  const names = await found((cursor, request) => {
    if (request === 2) return page("9", "2", true);
    return request === 3 ? 400 : page(cursor, "1", cursor === null);
  });
  expect(names).toEqual(["tnull", "t1"]);
  expect(asked()).toEqual([null, "1", "2", null, "1"]);
});

it("a refusal of the first page is one, and so is the sixth in the middle", async () => {
  expect(await rejection(found(() => 400))).toMatchObject({ name: "RejectedError" });
  expect(asked()).toHaveLength(1);
  await server.close();
  const refused = found((cursor) => (cursor === null ? page(cursor, "1", true) : 400));
  expect(await rejection(refused)).toMatchObject({ name: "RejectedError" });
  expect(asked()).toHaveLength(12);
});
