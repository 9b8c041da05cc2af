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
  expect(compileRequest(createCipReport, report, words).target).toBe(
    "/users/fp_1/integrations/acme/cip_report",
  );
  const sent = (event_kind: string) =>
    compileRequest(sendTestWebhook, { body: { payload: { event_kind } } }, words).body;
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
    expect(target({})).toBe("/users/fp_1/linked_bank_transactions?start_date=1900-01-01&end_date=2999-12-31");
  });
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
