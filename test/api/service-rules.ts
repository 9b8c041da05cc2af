import * as api from "../../src/api/index.js";
import type { RuleRow } from "./rule-table.js";

const PEM = (kind: string) =>
  Buffer.from(`-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`).toString("base64");
export const CERTIFICATE = PEM("CERTIFICATE");
export const PRIVATE_KEY = PEM("PRIVATE KEY");

const FP = { fp_id: "fp_1" };
const LINK = { link_id: "link_1" };
const proxy = (headers: object) => ({ path: { id: "proxy_1" }, headers, body: "{}" });
const list = (query: object) => ({ path: LINK, query });
const imported = (row: object) => ({
  path: LINK,
  body: { transactions: [{ account_id: "acc_link_1_1", amount: "1.00", date: "2026-01-02", ...row }] },
});
export const COMPLETED_EVENT = {
  event_kind: "service.onboarding.completed",
  fp_id: "fp_1",
  timestamp: "2026-11-21T02:00:00Z",
  status: "pass",
  playbook_key: "pb_kyc",
  playbook_version: 1,
  requires_manual_review: false,
  is_live: false,
  onboarding_id: "ob_1",
  external_id: null,
  onboarding_external_id: null,
};

/** Rules of businesses, bank data, the proxy and webhooks, each broken once. */
export const SERVICE_RULES: readonly RuleRow[] = [
  ["default_approver is given", api.createCipReport, { path: FP, body: {} }, /default_approver: not text/],
  [
    "x-external-id excludes data",
    api.createBusiness,
    { headers: { external_id: "b-1" }, body: { "business.name": "B" } },
    /external_id: given together with data/,
  ],
  [
    "x-external-id has plain characters",
    api.createBusiness,
    { headers: { external_id: "b 1" } },
    /external_id: a character other than/,
  ],
  [
    "a business takes no id identifiers",
    api.createBusiness,
    { body: { "id.dob": "1" } },
    /id.dob: of the group id/,
  ],
  [
    "external_id has plain characters",
    api.updateBusiness,
    { path: { fp_bid: "fb_1" }, body: { external_id: "b/1" } },
    /external_id: a character other than/,
  ],
  ["size is at most 100", api.listInvestmentTransactions, list({ size: 101 }), /size: more than 100/],
  ["size is positive", api.listInvestmentTransactions, list({ size: 0 }), /size: not positive/],
  ["page begins at 1", api.listInvestmentTransactions, list({ page: 0 }), /page: not positive/],
  [
    "start_date is a day",
    api.listInvestmentTransactions,
    list({ start_date: "2026-02-29" }),
    /start_date: not a day/,
  ],
  [
    "end_date is a day",
    api.listInvestmentTransactions,
    list({ end_date: "21.11.2026" }),
    /end_date: not a day/,
  ],
  [
    "size of transactions is at most 100",
    api.listUserTransactions,
    { path: FP, query: { size: 101 } },
    /size: more than 100/,
  ],
  ["a cursor is not empty", api.syncTransactions, list({ cursor: "" }), /cursor: empty/],
  [
    "unknown query parameters are refused",
    api.listBankLinks,
    { path: FP, query: { page: 1 } },
    /page: not known/,
  ],
  [
    "imported account_id is given",
    api.importTransactions,
    imported({ account_id: undefined }),
    /transactions.0.account_id: not text/,
  ],
  [
    "imported amounts are decimal text",
    api.importTransactions,
    imported({ amount: 1 }),
    /transactions.0.amount: not text/,
  ],
  [
    "imported amounts have no exponent",
    api.importTransactions,
    imported({ amount: "1e3" }),
    /transactions.0.amount: not a decimal/,
  ],
  [
    "imported dates are ISO 8601",
    api.importTransactions,
    imported({ date: "2026-13-01" }),
    /transactions.0.date: not an ISO/,
  ],
  [
    "imported rows are not empty",
    api.importTransactions,
    { path: LINK, body: { transactions: [] } },
    /transactions: empty/,
    "an empty import does nothing",
  ],
  [
    "a certificate needs its key",
    api.callVaultProxy,
    proxy({ client_cert: CERTIFICATE }),
    /client_key: missing/,
  ],
  [
    "a key needs its certificate",
    api.callVaultProxy,
    proxy({ client_key: PRIVATE_KEY }),
    /client_cert: missing/,
  ],
  [
    "a certificate is base64 PEM",
    api.callVaultProxy,
    proxy({ pin_cert: "-----BEGIN" }),
    /pin_cert: not base64/,
  ],
  [
    "ingress rules are of their form",
    api.callVaultProxy,
    proxy({ ingress_rules: ["fp_1.id.dob"] }),
    /ingress_rules.0: no =/,
  ],
  ["method is an HTTP method", api.callVaultProxy, proxy({ method: "FETCH" }), /method: not an HTTP method/],
  [
    "headers are one line",
    api.callVaultProxy,
    proxy({ access_reason: "a\r\nx: y" }),
    /access_reason: with a character/,
    "no HTTP client sends it",
  ],
  [
    "forwarded names are header names",
    api.callVaultProxy,
    proxy({ forward: { "a b": "c" } }),
    /not a header name/,
    "no HTTP client sends it",
  ],
  [
    "event_kind is one of eight",
    api.sendTestWebhook,
    { body: { payload: { event_kind: "service.other" } } },
    /payload.event_kind: not a kind/,
  ],
  [
    "a completed event is whole",
    api.sendTestWebhook,
    { body: { payload: { ...COMPLETED_EVENT, status: undefined } } },
    /payload.status: not an onboarding status/,
  ],
  [
    "a completed event's version is whole",
    api.sendTestWebhook,
    { body: { payload: { ...COMPLETED_EVENT, playbook_version: "1" } } },
    /playbook_version/,
  ],
  ["payload is given", api.sendTestWebhook, { body: { idempotency_key: "k" } }, /payload: not an object/],
];
