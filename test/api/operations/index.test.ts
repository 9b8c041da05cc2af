import { describe, expect, it } from "vitest";
import { checkAnswer } from "../../../src/api/http/answer.js";
import { compileRequest } from "../../../src/api/http/request.js";
import { listUserTransactions } from "../../../src/api/operations/bank-data.js";
import {
  createCipReport,
  OPERATIONS,
  sendTestWebhook,
  syncTransactions,
} from "../../../src/api/operations/index.js";
import { defineOperation } from "../../../src/api/operations/operation.js";

/** Every operation of docs/reference/api-operations.md. */
const SERVICE = [
  "create_onboarding POST /onboardings",
  "list_user_onboardings GET /users/{fp_id}/onboardings",
  "list_business_onboardings GET /businesses/{fp_bid}/onboardings",
  "get_onboarding GET /onboardings/{id}",
  "validate_session POST /onboarding/session/validate",
  "create_client_token POST /users/{fp_id}/client_token",
  "decrypt_vault POST /users/vault/decrypt",
  "update_vault PATCH /users/vault",
  "upload_to_vault POST /users/vault/{identifier}/upload",
  "create_cip_report POST /users/{fp_id}/integrations/brokerage/cip_report",
  "get_user GET /users/{fp_id}",
  "create_business POST /businesses",
  "update_business PATCH /businesses/{fp_bid}",
  "get_business_insights GET /businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  "list_bank_links GET /users/{fp_id}/bank_links",
  "list_user_accounts GET /users/{fp_id}/linked_bank_accounts",
  "list_link_accounts GET /bank_links/{link_id}/accounts",
  "list_user_transactions GET /users/{fp_id}/linked_bank_transactions",
  "list_investment_transactions GET /bank_links/{link_id}/investments/transactions",
  "sync_transactions GET /bank_links/{link_id}/transactions/sync",
  "import_transactions POST /bank_links/{link_id}/import/transactions",
  "call_vault_proxy POST /vault_proxy/{id}",
  "send_test_webhook POST /webhooks/test",
];

it("all 23 operations of the service are in the registry, each once, under a name of its own", () => {
  expect(SERVICE).toHaveLength(23);
  expect(OPERATIONS.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual(SERVICE);
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(23);
});

it("only the three client operations take a client token", () => {
  const client = OPERATIONS.filter(({ auth }) => auth === "client_token").map(({ name }) => name);
  expect(client).toEqual(["decrypt_vault", "update_vault", "upload_to_vault"]);
  expect(OPERATIONS.filter(({ tokenUse }) => tokenUse !== undefined).map(({ name }) => name)).toEqual(client);
});

it("a path and its parameters can't come apart", () => {
  const { params } = syncTransactions;
  expect(() => defineOperation({ ...syncTransactions, path: "/users/{fp_id}", params })).toThrow(TypeError);
});

it("a deployment's own words are in the path of a CIP report and in the kind of a test webhook", () => {
  const words = { eventPrefix: "acme.", cipSegment: "acme" };
  const report = { path: { fp_id: "fp_1" }, body: { default_approver: "a" } };
  expect(compileRequest(createCipReport, report, { words }).target).toBe(
    "/users/fp_1/integrations/acme/cip_report",
  );
  const sent = (event_kind: string) =>
    compileRequest(sendTestWebhook, { body: { payload: { event_kind } } }, { words }).body;
  expect(sent("service.vault.updated")).toBe('{"payload":{"event_kind":"acme.vault.updated"}}');
  expect(sent("other.vault.updated")).toBe('{"payload":{"event_kind":"other.vault.updated"}}');
});

describe("the list of transactions", () => {
  const target = (query: object) =>
    compileRequest(listUserTransactions, { path: { fp_id: "fp_1" }, query }).target;
  it("writes its filters", () => {
    const query = {
      account_ids: ["a", "b"],
      start_date: "2026-01-01",
      end_date: "2026-01-31",
      page: 2,
      size: 100,
    };
    expect(target(query)).toBe(
      "/users/fp_1/linked_bank_transactions?account_ids=a%2Cb&start_date=2026-01-01&end_date=2026-01-31&page=2&size=100",
    );
    expect(target({})).toBe("/users/fp_1/linked_bank_transactions");
  });

  it.each<[object, RegExp]>([
    [{ size: 101 }, /parameter size: more than 100/],
    [{ page: 0 }, /parameter page: not positive/],
    [{ start_date: "2026-02-30" }, /parameter start_date: not a day/],
    [{ account_ids: [] }, /parameter account_ids: empty/],
    [{ account_ids: ["a,b"] }, /parameter account_ids.0: empty or with a comma/],
    [{ cursor: "x" }, /parameter cursor/],
  ])("refuses %j", (query, message) => expect(() => target(query)).toThrow(message));
});

describe("the envelope of a sync page", () => {
  const transactions = { created: [5, null], updated: [{}], removed: [] };
  it.each<[string, object]>([
    ["a cursor", { cursor: { next: "c" }, has_more: true, transactions }],
    ["an empty cursor", { cursor: { next: "" }, has_more: false, transactions }],
    ["a null next", { cursor: { next: null }, has_more: false, transactions }],
    ["no next", { cursor: {}, has_more: false, transactions }],
    ["no cursor", { has_more: false, transactions }],
    ["unknown fields", { has_more: false, transactions, request_id: "r" }],
  ])("passes with %s, whatever its rows are", (_, body) =>
    expect(checkAnswer(syncTransactions, body)).toEqual(body),
  );

  it.each<[unknown, string]>([
    [[], ""],
    [{ has_more: "no", transactions }, "has_more"],
    [{ has_more: false, transactions: [] }, "transactions"],
    [{ has_more: false, transactions: { ...transactions, removed: null } }, "transactions.removed"],
    [{ cursor: "c", has_more: false, transactions }, "cursor"],
    [{ cursor: { next: 5 }, has_more: false, transactions }, "cursor.next"],
  ])("%j breaks it at '%s'", (body, path) =>
    expect(() => checkAnswer(syncTransactions, body)).toThrow(
      expect.objectContaining({ name: "SchemaError", path }),
    ),
  );
});
