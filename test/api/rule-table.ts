import type { Operation } from "../../src/api/index.js";
import * as api from "../../src/api/index.js";

/** A request that breaks one rule of the document, and nothing else. */
export interface BrokenRule {
  readonly rule: string;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: RegExp;
  /** Why the service itself lets it pass, or can't be asked: a rule of ours beyond the document. */
  readonly ours?: string;
}

const PEM = (kind: string) =>
  Buffer.from(`-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`).toString("base64");
export const CERTIFICATE = PEM("CERTIFICATE");
export const PRIVATE_KEY = PEM("PRIVATE KEY");

const FP = { fp_id: "fp_1" };
const LINK = { link_id: "link_1" };
const key = "pb_kyc";

const onboarding = (body: object) => ({ body });
const token = (body: object) => ({ path: FP, body });
const proxy = (headers: object) => ({ path: { id: "proxy_1" }, headers, body: "{}" });
const list = (query: object) => ({ path: LINK, query });
const imported = (row: object) => ({
  path: LINK,
  body: { transactions: [{ account_id: "acc_link_1_1", amount: "1.00", date: "2026-01-02", ...row }] },
});
const completed = {
  event_kind: "service.onboarding.completed",
  fp_id: "fp_1",
  timestamp: "2026-11-21T02:00:00Z",
  status: "pass",
  playbook_key: key,
  playbook_version: 1,
  requires_manual_review: false,
  is_live: false,
  onboarding_id: "ob_1",
  external_id: null,
  onboarding_external_id: null,
};
export const COMPLETED_EVENT = completed;

type Row = readonly [rule: string, operation: Operation, params: object, message: RegExp, ours?: string];

const ROWS: readonly Row[] = [
  ["key is required", api.createOnboarding, onboarding(FP), /body field key: not text \(given: nothing\)/],
  [
    "key is a playbook key with :v<n>",
    api.createOnboarding,
    onboarding({ key: "pb_kyc:3", ...FP }),
    /key: not a playbook key/,
  ],
  [
    "key's version begins at 1",
    api.createOnboarding,
    onboarding({ key: "pb_kyc:v0", ...FP }),
    /key: not a playbook key/,
  ],
  [
    "fp_id excludes external_id",
    api.createOnboarding,
    onboarding({ key, ...FP, external_id: "x" }),
    /external_id: given together/,
  ],
  ["fp_id or external_id is given", api.createOnboarding, onboarding({ key }), /fp_id: missing/],
  [
    "external_id has no white space",
    api.createOnboarding,
    onboarding({ key, external_id: "a b" }),
    /external_id: with white space/,
    "the document limits it for businesses only",
  ],
  [
    "timeout is over 0",
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: 0 }),
    /secs: less than 1 \(given: an integer\)/,
  ],
  [
    "timeout is at most 30",
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: 31 }),
    /secs: more than 30/,
  ],
  [
    "timeout is whole",
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: 1.5 }),
    /secs: not an integer \(given: a number\)/,
  ],
  [
    "timeout is a number",
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: "5" }),
    /secs: not an integer \(given: text\)/,
  ],
  [
    "prerequisite_data is an object",
    api.createOnboarding,
    onboarding({ key, ...FP, prerequisite_data: [] }),
    /prerequisite_data: not an object/,
  ],
  [
    "unknown body fields are refused",
    api.createOnboarding,
    onboarding({ key, ...FP, fp_bid: "b" }),
    /fp_bid: not known/,
  ],
  ["page is positive", api.listUserOnboardings, { path: FP, query: { page: 0 } }, /page: not positive/],
  [
    "page_size is positive",
    api.listBusinessOnboardings,
    { path: { fp_bid: "fb_1" }, query: { page_size: -1 } },
    /page_size: not positive/,
  ],
  ["validation_token is given", api.validateSession, { body: {} }, /validation_token: not text/],
  ["scope is required", api.createClientToken, token({ fields: ["id.dob"] }), /scope: not a scope/],
  ["scope is one of five", api.createClientToken, token({ scope: "read" }), /scope: not a scope/],
  [
    "vault_card takes no fields",
    api.createClientToken,
    token({ scope: "vault_card", fields: ["id.dob"] }),
    /fields: given with scope vault_card/,
  ],
  [
    "ttl is at least 60",
    api.createClientToken,
    token({ scope: "vault", fields: ["id.dob"], ttl: 59 }),
    /ttl: less than 60/,
  ],
  [
    "ttl is at most a day",
    api.createClientToken,
    token({ scope: "vault", fields: ["id.dob"], ttl: 86_401 }),
    /ttl: more than 86400/,
  ],
  [
    "a token takes no business identifiers",
    api.createClientToken,
    token({ scope: "vault", fields: ["business.tin"] }),
    /fields.0: of the group business/,
  ],
  [
    "a token takes known identifiers",
    api.createClientToken,
    token({ scope: "vault", fields: ["id.ssn"] }),
    /fields.0: not a data identifier/,
  ],
  [
    "custom has a name",
    api.createClientToken,
    token({ scope: "vault", fields: ["custom."] }),
    /fields.0: custom without a name/,
  ],
  [
    "decrypt takes no business identifiers",
    api.decryptVault,
    { body: { fields: ["business.tin"], reason: "r" } },
    /fields.0: of the group business/,
  ],
  [
    "transforms are of the grammar",
    api.decryptVault,
    { body: { fields: ["id.dob"], reason: "r", transforms: ["prefix('x')"] } },
    /transforms.0: argument 1/,
  ],
  [
    "transforms are a list",
    api.decryptVault,
    { body: { fields: ["id.dob"], reason: "r", transforms: "to_ascii" } },
    /transforms: not a list/,
  ],
  [
    "update takes no business identifiers",
    api.updateVault,
    { body: { "business.tin": "1" } },
    /business.tin: of the group business/,
  ],
  [
    "vault values are no lists",
    api.updateVault,
    { body: { "id.dob": ["1"] } },
    /id.dob: not text, an integer/,
  ],
  [
    "vault values are no fractions",
    api.updateVault,
    { body: { "id.dob": 1.5 } },
    /id.dob: not text, an integer/,
  ],
  [
    "vault values are not null",
    api.updateVault,
    { body: { "id.dob": null } },
    /id.dob: not text.*given: null/,
  ],
  [
    "upload takes no documents",
    api.uploadToVault,
    { path: { identifier: "document.id_card.front.image" }, body: "x" },
    /identifier: of the group document/,
  ],
  [
    "upload takes two of investor_profile",
    api.uploadToVault,
    { path: { identifier: "investor_profile.net_worth" }, body: "x" },
    /takes no upload/,
  ],
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
    { body: { payload: { ...completed, status: undefined } } },
    /payload.status: not an onboarding status/,
  ],
  [
    "a completed event's version is whole",
    api.sendTestWebhook,
    { body: { payload: { ...completed, playbook_version: "1" } } },
    /playbook_version/,
  ],
  ["payload is given", api.sendTestWebhook, { body: { idempotency_key: "k" } }, /payload: not an object/],
];

/** Every rule of SERVICE.md parts 2.1, 4, 5, 7 and 8 that a single request can break, broken once. */
export const BROKEN_RULES: readonly BrokenRule[] = ROWS.map(([rule, operation, params, message, ours]) => ({
  rule,
  operation,
  params: params as BrokenRule["params"],
  message,
  ...(ours !== undefined && { ours }),
}));
