import * as api from "../../../src/api/operations/index.js";
import type { RuleRow } from "./rule-table.js";

const PEM = (kind: string) =>
  Buffer.from(`-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`).toString("base64");
export const CERTIFICATE = PEM("CERTIFICATE");
export const PRIVATE_KEY = PEM("PRIVATE KEY");

const FP = { fp_id: "fp_1" };
const proxy = (headers: object) => ({ path: { id: "proxy_1" }, headers, body: "{}" });
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

/** Rules of businesses, the proxy and webhooks, each broken once. */
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
    "x-sandbox-id is one line",
    api.createBusiness,
    { headers: { sandbox_id: "a\nb" } },
    /sandbox_id: with a character/,
    "no HTTP client sends it",
  ],
  [
    "a business's values are not lists",
    api.createBusiness,
    { body: { "business.name": ["B"] } },
    /business.name: not text, an integer/,
  ],
  ["a business's data are a map", api.createBusiness, { body: [] }, /body: not an object/],
  [
    "a business takes known identifiers",
    api.createBusiness,
    { body: { "business.ssn": "1" } },
    /business.ssn: not a data identifier/,
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
  [
    "an ingress rule names a known identifier",
    api.callVaultProxy,
    proxy({ ingress_rules: ["fp_1.id.pan=$.a"] }),
    /ingress_rules.0: not a data identifier.*Accepted: <fp_id>/,
  ],
  [
    "a path begins with / or ?",
    api.callVaultProxy,
    proxy({ path_and_query: "@example.com/" }),
    /path_and_query: not beginning with/,
  ],
  [
    "an ingress content type is a media type",
    api.callVaultProxy,
    proxy({ ingress_content_type: "json" }),
    /ingress_content_type: not a media type/,
    "the document says nothing of its form",
  ],
  [
    "a proxy's content type is a media type",
    api.callVaultProxy,
    proxy({ content_type: "json" }),
    /content_type: not a media type/,
    "the document says nothing of its form",
  ],
  [
    "a key is base64 PEM",
    api.callVaultProxy,
    proxy({ client_cert: CERTIFICATE, client_key: CERTIFICATE }),
    /client_key: not a PEM private key/,
  ],
  [
    "x-fp-id is one line",
    api.callVaultProxy,
    proxy({ fp_id: "fp_1\nx" }),
    /fp_id: with a character/,
    "no HTTP client sends it",
  ],
  [
    "a forwarded header is given once",
    api.callVaultProxy,
    proxy({ forward: { Accept: "a", accept: "b" } }),
    /accept: given twice/,
    "on the wire one takes the other's place",
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
  [
    "an idempotency key says something",
    api.sendTestWebhook,
    { body: { idempotency_key: "", payload: COMPLETED_EVENT } },
    /idempotency_key: blank/,
  ],
  ["payload is given", api.sendTestWebhook, { body: { idempotency_key: "k" } }, /payload: not an object/],
];
