import { beforeEach, expect, test } from "vitest";
import { startSandbox, transactionRow } from "../../../sandbox/index.js";
import { eachTest } from "../../helpers/each-test.js";

const sandbox = eachTest(startSandbox);
beforeEach(async () => {
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
});

async function control(path: string, body: unknown): Promise<{ status: number; message: string }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, { method: "POST", body: text });
  if (response.status === 204) return { status: 204, message: "" };
  const answer = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: answer.error?.message ?? "" };
}

const row = transactionRow({ transaction_id: "t" });
const good = { change: "created", row };

test.each([
  [
    "append",
    ["l", [{ change: "created", transaction: row }]],
    '"events[0].row": Invalid input: expected object',
  ],
  ["append", ["l", [{ change: "created", row: { ...row, amount: 12 } }]], '"events[0].row.amount": Invalid'],
  ["append", ["l", [{ change: "created", raw: "", row }]], 'argument "events[0]": Unrecognized key: "raw"'],
  [
    "investments/add",
    ["l", { transactions: [{ id: "i" }] }],
    '"investments.transactions[0].investment_transaction_id"',
  ],
  ["advance", { day: 1 }, 'argument "options": no field day; accepted are days, seed'],
  ["revokeKey", ["k", 402], 'argument "status": Invalid option: expected one of 401|403'],
  ["state", {}, "state takes no arguments"],
  ["removeLink", "l", "the body is not JSON"],
])("%s refuses %j over HTTP, and does nothing", async (path, body, message) => {
  const answer = await control(path, body);
  expect(answer.message).toContain(message);
  expect(answer.status).toBe(400);
  expect(sandbox.state()).toMatchObject({ today: "2026-11-20", links: 1 });
  expect(sandbox.links()).toEqual([{ id: "l", fp_id: "u", events: 0, rows: 0 }]);
  expect(sandbox.investments.truth("l").transactions).toEqual([]);
  expect(sandbox.faults()).toEqual([]);
  expect(sandbox.world.link("l").onlyListed).toEqual([]);
});

test("what fits is done over HTTP: whole rows with more fields, raw texts, and null for what is left out", async () => {
  const entries = [
    { ...good, row: { ...row, odd: [1] } },
    { change: "created", raw: "not JSON", id: "r" },
  ];
  expect(await control("append", ["l", entries])).toEqual({ status: 204, message: "" });
  expect(await control("append", ["l", [{ change: "removed", id: "t" }]])).toMatchObject({ status: 204 });
  expect([...sandbox.events("l")].map(({ text }) => text)).toEqual([
    JSON.stringify({ ...row, odd: [1] }),
    "not JSON",
    '"t"',
  ]);
  expect(await control("revokeKey", [null, 403])).toMatchObject({ status: 204 });
  expect((await fetch(`${sandbox.url}/users/u`, authorized())).status).toBe(403);
});

function authorized() {
  return { headers: { authorization: `Basic ${btoa(`${sandbox.apiKey}:`)}` } };
}
