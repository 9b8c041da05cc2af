import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SANDBOX_OPERATIONS, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { eachTest } from "../helpers/each-test.js";
import { call, tokenFor } from "../helpers/stand-in/caller.js";
import { startReceiver } from "../helpers/webhooks/receiver.js";

const PLAYBOOKS = [{ key: "p" }, { key: "b", kind: "kyb" as const }];
let sandbox: Sandbox;
const target = eachTest(startReceiver);
beforeEach(async () => {
  target.answer = () => ({ body: "pong" });
  sandbox = await startSandbox({ playbooks: PLAYBOOKS });
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  sandbox.businesses.add({ fp_bid: "fp_bid_1" });
  sandbox.proxies.configure({ id: "x", target: target.url });
});
afterEach(async () => {
  await sandbox.close();
});

test("the stand-in has the client's operations under their names, and no other", () => {
  const named = ({ name, method, path }: (typeof OPERATIONS | typeof SANDBOX_OPERATIONS)[number]) =>
    `${name} ${method} ${path}`;
  expect(SANDBOX_OPERATIONS.map(named).sort()).toEqual(OPERATIONS.map(named).sort());
});

test.each(SANDBOX_OPERATIONS)(
  "$name: without credentials it is answered 401, and nothing happens",
  async ({ method, path }) => {
    const body = method === "GET" ? {} : { body: "{}" };
    const response = await fetch(sandbox.url + path.replace("{id}", "x"), { method, ...body });
    expect(response.status).toBe(401);
    expect(target.received).toEqual([]);
  },
);

test("faults select a call by the user or business that only its body names", async () => {
  sandbox.addUser({ fp_id: "v", external_id: "customer-v" });
  sandbox.addFault({ kind: "status", status: 500, user: "v" });
  sandbox.addFault({ kind: "status", status: 502, business: "fp_bid_1" });
  const start = async (body: object) => (await call(sandbox, "POST", "/onboardings", { body })).status;
  expect(await start({ key: "p", fp_id: "u" })).toBe(200);
  expect(await start({ key: "p", fp_id: "v" })).toBe(500);
  expect(await start({ key: "p", external_id: "customer-v" })).toBe(500);
  expect(await start({ key: "b", fp_id: "fp_bid_1" })).toBe(502);
});

test("a lost answer: the call took effect where the fault says so, and did not where it does not", async () => {
  const count = () => sandbox.businesses.list().length;
  const create = () => call(sandbox, "POST", "/businesses");
  const before = count();
  sandbox.addFault({ kind: "reset", times: 1 });
  await expect(create()).rejects.toThrow();
  expect(count()).toBe(before);
  sandbox.addFault({ kind: "reset", times: 1, afterEffect: true });
  await expect(create()).rejects.toThrow();
  expect(count()).toBe(before + 1);
  sandbox.addFault({ kind: "hang", times: 1, afterEffect: true });
  void create().catch(() => undefined);
  await expect.poll(count).toBe(before + 2);
});

test("records hold a body's size and digest, and no secret of it", async () => {
  const secret = "planted-secret-1234";
  const token = await tokenFor(sandbox, "u", { scope: "vault", fields: ["id.email"] });
  await call(sandbox, "PATCH", "/users/vault", { token, body: { "id.email": secret } });
  await call(sandbox, "POST", "/vault_proxy/x", { headers: { "x-fp-path-and-query": `/${secret}` } });
  const [record] = sandbox.requests({ operation: "update_vault" });
  expect(record).toMatchObject({ user: "u", auth: "client_token", body_bytes: 34 });
  expect(record?.body_sha256).toMatch(/^[0-9a-f]{64}$/);
  const told = JSON.stringify([
    sandbox.requests(),
    sandbox.webhooks.messages(),
    sandbox.proxies.forwarded(),
    sandbox.vaults.decryptions(),
  ]);
  expect(told).not.toContain(secret);
  expect(told).not.toContain(token);
});

test.each([
  ["a body that is not JSON", "{", "application/json", 400],
  ["no body", "", "application/json", 400],
  ["a list", "[]", "application/json", 400],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "application/json", 400],
  ["another content type", '{"scope":"vault"}', "text/plain", 415],
])("%s where an object is due is refused", async (_rule, body, type, status) => {
  const headers = { "content-type": type };
  expect((await call(sandbox, "POST", "/users/u/client_token", { body, headers })).status).toBe(status);
});

test("a body on an operation that takes none is refused", async () => {
  const status = await new Promise((resolve) => {
    const options = { auth: `${sandbox.apiKey}:`, headers: { "content-length": 2 } };
    const answered = (answer: IncomingMessage) => resolve(answer.resume().statusCode);
    request(`${sandbox.url}/users/u`, options, answered).end("{}");
  });
  expect(status).toBe(400);
});
