import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { type ApiClient, createApiClient } from "../../src/api/http/client.js";
import { withClientToken } from "../../src/api/http/client-token.js";
import * as api from "../../src/api/operations/index.js";
import type { Operation, ParamsOf } from "../../src/api/operations/operation.js";
import { rejection } from "../helpers/api/fault-server.js";
import { rawRequest } from "../helpers/api/raw-request.js";
import { BROKEN_RULES } from "../helpers/api/rule-table.js";
import { COMPLETED_EVENT } from "../helpers/api/service-rules.js";

let sandbox: Sandbox;
let target: Server;
let client: ApiClient;
let onboarding = "";
let kyb = "";
const FIELDS = ["id.first_name", "id.dob", "custom.note"];

beforeAll(async () => {
  target = createServer((request, response) => {
    response.writeHead(201, { "content-type": "text/csv", "x-target": "yes" });
    request.pipe(response);
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const port = (target.address() as AddressInfo).port;
  sandbox = await startSandbox({ proxies: [{ id: "proxy_1", target: `http://127.0.0.1:${port}/in` }] });
  sandbox.addUser({ fp_id: "fp_1" });
  sandbox.addLink({ id: "link_1", fp_id: "fp_1" });
  sandbox.addAccount("link_1", { id: "acc_link_1_1" });
  sandbox.investments.fill("link_1", 250);
  sandbox.businesses.add({ fp_bid: "fb_1" });
  client = createApiClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    concurrency: 4,
    headersTimeoutMs: 1500,
    bodyTimeoutMs: 1500,
    maxBodyBytes: 200_000,
    userAgent: "contract",
  });
  const made = async (fp_id: string, key: string) => {
    const body = { fp_id, key, synchronous_timeout_secs: 5 };
    return (await client.read(api.createOnboarding, { body })).id;
  };
  onboarding = await made("fp_1", "pb_kyc");
  kyb = await made("fb_1", "pb_kyb");
});

afterAll(async () => {
  await client?.close();
  await sandbox?.close();
  await new Promise((resolve) => target.close(resolve));
});

const USER = { path: { fp_id: "fp_1" } };
const LINK = { path: { link_id: "link_1" } };
const row = { account_id: "acc_link_1_1", amount: "-3.20", date: "2026-01-02", transaction_id: "mine_1" };

/** A request of each operation that the service takes, made when all is set up. */
const VALID: Readonly<Record<string, readonly [Operation, () => object]>> = {
  create_onboarding: [api.createOnboarding, () => ({ body: { key: "pb_kyc:v2", fp_id: "fp_1" } })],
  list_user_onboardings: [api.listUserOnboardings, () => ({ ...USER, query: { page: 1, page_size: 2 } })],
  list_business_onboardings: [api.listBusinessOnboardings, () => ({ path: { fp_bid: "fb_1" } })],
  get_onboarding: [api.getOnboarding, () => ({ path: { id: onboarding } })],
  validate_session: [
    api.validateSession,
    () => ({ body: { validation_token: sandbox.sessions.end({ onboardings: [onboarding] }) } }),
  ],
  create_client_token: [
    api.createClientToken,
    () => ({ ...USER, body: { scope: "vault", fields: FIELDS, ttl: 60 } }),
  ],
  decrypt_vault: [
    api.decryptVault,
    () => ({
      body: {
        fields: ["id.first_name", "id.dob"],
        reason: "contract",
        transforms: ["replace('x', 'y')", String.raw`replace('it\'s','\\')`, "to_lowercase", "prefix(8)"],
      },
    }),
  ],
  update_vault: [api.updateVault, () => ({ body: { "id.dob": "1990-01-02", "custom.note": "n" } })],
  upload_to_vault: [
    api.uploadToVault,
    () => ({ path: { identifier: "custom.note" }, headers: { content_type: "text/plain" }, body: "bytes" }),
  ],
  create_cip_report: [api.createCipReport, () => ({ ...USER, body: { default_approver: "Ops" } })],
  get_user: [api.getUser, () => USER],
  create_business: [
    api.createBusiness,
    () => ({ headers: { external_id: `b-${sandbox.businesses.list().length}` } }),
  ],
  update_business: [api.updateBusiness, () => ({ path: { fp_bid: "fb_1" }, body: { external_id: "b.one" } })],
  get_business_insights: [api.getBusinessInsights, () => ({ path: { fp_bid: "fb_1", onboarding_id: kyb } })],
  list_bank_links: [api.listBankLinks, () => USER],
  list_user_accounts: [api.listUserAccounts, () => USER],
  list_link_accounts: [api.listLinkAccounts, () => LINK],
  list_user_transactions: [api.listUserTransactions, () => ({ ...USER, query: { page: 1, size: 100 } })],
  list_investment_transactions: [
    api.listInvestmentTransactions,
    () => ({ ...LINK, query: { account_ids: ["acc_link_1_1"], start_date: "2000-01-01", size: 10 } }),
  ],
  sync_transactions: [api.syncTransactions, () => ({ ...LINK, query: { size: 10 } })],
  import_transactions: [api.importTransactions, () => ({ ...LINK, body: { transactions: [row] } })],
  call_vault_proxy: [
    api.callVaultProxy,
    () => ({ path: { id: "proxy_1" }, headers: { forward: { accept: "text/csv" } }, body: "a,b\n" }),
  ],
  send_test_webhook: [
    api.sendTestWebhook,
    () => ({ body: { idempotency_key: "k", payload: COMPLETED_EVENT } }),
  ],
};

function call(name: string, options: object = {}): Promise<unknown> {
  const [operation, params] = VALID[name]!;
  const given = params() as ParamsOf<Operation>;
  if (operation.auth === "secret_key") return client.read(operation, given, options);
  const grant = { fp_id: "fp_1", scope: "vault_and_decrypt", fields: FIELDS } as const;
  return withClientToken(client, grant, (clientToken) =>
    client.read(operation, given, { ...options, clientToken }),
  );
}

describe("client and stand-in agree on each operation", () => {
  it("all of them are tried here", () => {
    expect(Object.keys(VALID).sort()).toEqual(api.OPERATIONS.map(({ name }) => name).sort());
  });

  it.each(Object.keys(VALID))("%s: a valid request is answered as the contract says", async (name) => {
    await expect(call(name)).resolves.toBeDefined();
  });
});

describe("each fault of the wire is a typed error, within its time, for each operation", () => {
  it.each(Object.keys(VALID))("%s", async (name) => {
    const [operation] = VALID[name]!;
    const meet = async (fault: object) => {
      await call(name).catch(() => {});
      const path = new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, "[^/]+")}$`);
      const known = sandbox
        .requests()
        .findLast((one) => one.method === operation.method && path.test(one.path));
      const id = sandbox.addFault({ operation: known?.operation ?? name, times: 1, ...fault } as never);
      const error = await rejection(call(name));
      sandbox.removeFault(id);
      return error;
    };
    // Its reader must know whether something may have happened.
    const message = operation.idempotent
      ? expect.not.stringContaining("not known")
      : expect.stringMatching(/not known whether .* carried out/);
    expect(await meet({ kind: "status", status: 500 })).toMatchObject({
      name: "TransientError",
      reason: "http_500",
      message,
    });
    expect(await meet({ kind: "status", status: 302 })).toMatchObject({ name: "SchemaError", message });
    expect(await meet({ kind: "reset" })).toMatchObject({
      name: "TransientError",
      reason: "connection_reset",
    });
    expect(await meet({ kind: "truncated", mode: "length" })).toMatchObject({ reason: "torn_body" });
    // Bytes of a proxy may be anything; every other answer is JSON of its shape.
    if (operation.answers === "bytes") return;
    const notJson = { name: "TransientError", reason: "no_json", message };
    const page = { kind: "wrong_body", contentType: "text/html", body: "<p>" };
    expect(await meet(page)).toMatchObject(notJson);
    expect(await meet({ kind: "wrong_body", body: "" })).toMatchObject(notJson);
    expect(await meet({ kind: "truncated", mode: "body" })).toMatchObject(notJson);
    const other = { name: "TransientError", reason: "not_promised", message };
    const wrong = operation.answers === "nothing" ? other : { name: "SchemaError", path: "", message };
    expect(await meet({ kind: "wrong_body", body: "[]" })).toMatchObject(wrong);
    if (operation.answers !== "nothing") return;
    for (const body of [
      '{"status":"queued"}',
      '{"status":"PENDING"}',
      '{"errors":[]}',
      '{"ok":true,"error":"x"}',
      '{"failed":2}',
    ]) {
      expect(await meet({ kind: "wrong_body", body })).toMatchObject(other);
    }
    // A member that the contract does not have is a new field.
    for (const body of ['{"id":"x","status":"ok"}', '{"error":null,"failed":0}']) {
      sandbox.addFault({ operation: name, kind: "wrong_body", body, times: 1 });
      await expect(call(name)).resolves.toEqual(JSON.parse(body));
    }
    for (const status of [201, 202, 207]) {
      expect(await meet({ kind: "wrong_body", status, body: "{}" })).toMatchObject(other);
    }
  });
});

describe("what the client refuses, the stand-in refuses too", () => {
  it.each(BROKEN_RULES.filter(({ ours }) => ours === undefined))(
    "$operation.name: $message",
    async ({ operation, params }) => {
      const { status } = await sendRaw(operation, params);
      expect(status).toBe(400);
    },
  );
});

async function sendRaw(operation: Operation, params: Readonly<Record<string, unknown>>): Promise<Response> {
  if (operation.auth === "secret_key") {
    const key = Buffer.from(`${sandbox.apiKey}:`).toString("base64");
    return fetch(rawRequest(sandbox.url, operation, params, { authorization: `Basic ${key}` }));
  }
  const body = { scope: "vault_and_decrypt", fields: FIELDS } as never;
  const { token } = await client.read(api.createClientToken, { ...USER, body });
  return fetch(rawRequest(sandbox.url, operation, params, { "x-fp-authorization": token }));
}
