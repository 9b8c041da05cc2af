import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SANDBOX_OPERATIONS, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { type CallSettings, call, tokenFor } from "../helpers/stand-in/caller.js";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.js";

/** As in docs/reference/api-operations.md. */
const CONTRACT = [
  "POST /onboardings",
  "GET /users/{fp_id}/onboardings",
  "GET /businesses/{fp_bid}/onboardings",
  "GET /onboardings/{id}",
  "POST /onboarding/session/validate",
  "GET /users/{fp_id}",
  "POST /users/{fp_id}/client_token",
  "POST /users/vault/decrypt",
  "PATCH /users/vault",
  "POST /users/vault/{identifier}/upload",
  "POST /users/{fp_id}/integrations/brokerage/cip_report",
  "POST /businesses",
  "PATCH /businesses/{fp_bid}",
  "GET /businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  "GET /users/{fp_id}/bank_links",
  "GET /users/{fp_id}/linked_bank_accounts",
  "GET /bank_links/{link_id}/accounts",
  "GET /users/{fp_id}/linked_bank_transactions",
  "GET /bank_links/{link_id}/investments/transactions",
  "GET /bank_links/{link_id}/transactions/sync",
  "POST /bank_links/{link_id}/import/transactions",
  "POST /vault_proxy/{id}",
  "POST /webhooks/test",
];

const PLAYBOOKS = [{ key: "p" }, { key: "b", kind: "kyb" as const }];
let sandbox: Sandbox;
let target: Receiver;
/** A good call of each operation. */
let calls: Record<string, [path: string, settings: CallSettings]>;

beforeEach(async () => {
  target = await startReceiver();
  target.answer = () => ({ body: "pong" });
  sandbox = await startSandbox({ playbooks: PLAYBOOKS });
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  sandbox.investments.fill("l", 3);
  sandbox.businesses.add({ fp_bid: "fp_bid_1" });
  sandbox.proxies.configure({ id: "x", target: target.url });
  const started = await call(sandbox, "POST", "/onboardings", {
    body: { key: "b", fp_id: "fp_bid_1", synchronous_timeout_secs: 1 },
  });
  const validation_token = sandbox.sessions.end({ onboardings: [started.body.id] });
  const grant = { scope: "vault_and_decrypt", fields: ["id.email"], decrypt_reason: "test" };
  const token = await tokenFor(sandbox, "u", grant);
  calls = {
    create_onboarding: ["/onboardings", { body: { key: "p", fp_id: "u" } }],
    list_user_onboardings: ["/users/u/onboardings", {}],
    list_business_onboardings: ["/businesses/fp_bid_1/onboardings", {}],
    get_onboarding: [`/onboardings/${started.body.id}`, {}],
    validate_session: ["/onboarding/session/validate", { body: { validation_token } }],
    get_user: ["/users/u", {}],
    create_client_token: ["/users/u/client_token", { body: grant }],
    decrypt_vault: ["/users/vault/decrypt", { token, body: { fields: ["id.email"] } }],
    update_vault: ["/users/vault", { token, body: { "id.email": "a@example.com" } }],
    upload_to_vault: ["/users/vault/id.email/upload", { token, body: "b@example.com" }],
    create_cip_report: [
      "/users/u/integrations/brokerage/cip_report",
      { body: { default_approver: "ops@example.com" } },
    ],
    create_business: ["/businesses", { body: { "business.name": "Acme" } }],
    update_business: ["/businesses/fp_bid_1", { body: { external_id: "acme-1" } }],
    get_business_insights: [`/businesses/fp_bid_1/onboardings/${started.body.id}/details`, {}],
    list_bank_links: ["/users/u/bank_links", {}],
    list_user_accounts: ["/users/u/linked_bank_accounts", {}],
    list_link_accounts: ["/bank_links/l/accounts", {}],
    list_user_transactions: ["/users/u/linked_bank_transactions", {}],
    list_investment_transactions: ["/bank_links/l/investments/transactions", {}],
    sync_transactions: ["/bank_links/l/transactions/sync", {}],
    import_transactions: [
      "/bank_links/l/import/transactions",
      { body: { transactions: [{ account_id: "a", amount: "1", date: "2026-01-01" }] } },
    ],
    call_vault_proxy: ["/vault_proxy/x", { body: "hello" }],
    send_test_webhook: ["/webhooks/test", { body: { payload: { event_kind: "service.vault.updated" } } }],
  };
  sandbox.clearRequests();
});
afterEach(async () => {
  await sandbox.close();
  await target.close();
});

function ask(name: string) {
  const operation = SANDBOX_OPERATIONS.find((one) => one.name === name)!;
  const [path, settings] = calls[name]!;
  return call(sandbox, operation.method, path, settings);
}

test("the stand-in has the contract's 23 operations and no other", () => {
  const paths = SANDBOX_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  expect([...paths].sort()).toEqual([...CONTRACT].sort());
  // A fault selects by the name that `nightledger call --list` shows.
  expect(SANDBOX_OPERATIONS.map(({ name }) => name).sort()).toEqual(
    OPERATIONS.map(({ name }) => name).sort(),
  );
});

const NAMES = SANDBOX_OPERATIONS.map(({ name }) => name);

test.each(NAMES)("%s: a good call is answered 200 and recorded", async (name) => {
  expect((await ask(name)).status).toBe(200);
  expect(sandbox.requests({ operation: name, status: 200 })).toHaveLength(1);
});

test.each(NAMES)("%s: every fault of the wire meets it", async (name) => {
  sandbox.addFault({ kind: "status", status: 429, retryAfter: 3, times: 1, operation: name });
  const limited = await ask(name);
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
  sandbox.addFault({ kind: "status", status: 503, times: 1, operation: name, afterEffect: true });
  expect((await ask(name)).status).toBe(503);
  for (const fault of [{ kind: "reset" }, { kind: "reset", afterBytes: 1 }, { kind: "truncated" }] as const) {
    sandbox.addFault({ ...fault, times: 1, operation: name });
    await expect(ask(name)).rejects.toThrow();
  }
  sandbox.addFault({ kind: "wrong_body", times: 1, operation: name });
  expect((await ask(name)).headers.get("content-type")).toBe("text/html");
  sandbox.addFault({ kind: "latency", ms: 1, times: 1, operation: name });
  sandbox.addFault({ kind: "slow", intervalMs: 1, times: 1, operation: name });
  await ask(name);
  expect(sandbox.faults().every(({ fired }) => fired === 1)).toBe(true);
});

test.each(NAMES)("%s: without credentials it is answered 401, and nothing happens", async (name) => {
  const operation = SANDBOX_OPERATIONS.find((one) => one.name === name)!;
  const [path, { body }] = calls[name]!;
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(sandbox.url + path, { method: operation.method, ...sent });
  expect(response.status).toBe(401);
  expect(target.received).toEqual([]);
});

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
  const before = count();
  sandbox.addFault({ kind: "reset", times: 1 });
  await expect(ask("create_business")).rejects.toThrow();
  expect(count()).toBe(before);
  sandbox.addFault({ kind: "reset", times: 1, afterEffect: true });
  await expect(ask("create_business")).rejects.toThrow();
  expect(count()).toBe(before + 1);
  sandbox.addFault({ kind: "hang", times: 1, afterEffect: true });
  void ask("create_business").catch(() => undefined);
  await expect.poll(count).toBe(before + 2);
});

test("records hold a body's size and digest, and no secret of it", async () => {
  const secret = "planted-secret-1234";
  const [path, settings] = calls.update_vault!;
  await call(sandbox, "PATCH", path, { ...settings, body: { "id.email": secret } });
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
  expect(told).not.toContain(settings.token);
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
