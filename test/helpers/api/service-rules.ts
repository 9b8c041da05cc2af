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

const UNSENT = "no HTTP client sends it";
export const FREE_FORM = "the document says nothing of its form";

/** Rules of businesses, the proxy and webhooks, each broken once. */
export const SERVICE_RULES: readonly RuleRow[] = [
  [api.createCipReport, { path: FP, body: {} }, /default_approver: not text/],
  [
    api.createBusiness,
    { headers: { external_id: "b-1" }, body: { "business.name": "B" } },
    /external_id: given together with data/,
  ],
  [api.createBusiness, { headers: { external_id: "b 1" } }, /external_id: a character other than/],
  [api.createBusiness, { headers: { sandbox_id: "a\nb" } }, /sandbox_id: with a character/, UNSENT],
  [api.createBusiness, { body: { "business.name": 1.5 } }, /business.name: not text, an integer/],
  [api.createBusiness, { body: [] }, /body: not an object/],
  [api.createBusiness, { body: { "business.ssn": "1" } }, /business.ssn: not a data identifier/],
  [api.createBusiness, { body: { "id.dob": "1" } }, /id.dob: of the group id/],
  [
    api.updateBusiness,
    { path: { fp_bid: "fb_1" }, body: { external_id: "b/1" } },
    /external_id: a character other than/,
  ],
  [api.callVaultProxy, proxy({ client_cert: CERTIFICATE }), /client_key: missing/],
  [api.callVaultProxy, proxy({ client_key: PRIVATE_KEY }), /client_cert: missing/],
  [api.callVaultProxy, proxy({ pin_cert: "-----BEGIN" }), /pin_cert: not base64/],
  [api.callVaultProxy, proxy({ ingress_rules: ["fp_1.id.dob"] }), /ingress_rules.0: no =/],
  [
    api.callVaultProxy,
    proxy({ ingress_rules: ["fp_1.id.pan=$.a"] }),
    /ingress_rules.0: not a data identifier.*Accepted: <fp_id>/,
  ],
  [api.callVaultProxy, proxy({ path_and_query: "@example.com/" }), /path_and_query: not beginning with/],
  [
    api.callVaultProxy,
    proxy({ ingress_content_type: "json" }),
    /ingress_content_type: not a media type/,
    FREE_FORM,
  ],
  [api.callVaultProxy, proxy({ content_type: "json" }), /content_type: not a media type/, FREE_FORM],
  [
    api.callVaultProxy,
    proxy({ client_cert: CERTIFICATE, client_key: CERTIFICATE }),
    /client_key: not a PEM private key/,
  ],
  [api.callVaultProxy, proxy({ fp_id: "fp_1\nx" }), /fp_id: with a character/, UNSENT],
  [
    api.callVaultProxy,
    proxy({ forward: { Accept: "a", accept: "b" } }),
    /accept: given twice/,
    "on the wire one takes the other's place",
  ],
  [api.callVaultProxy, proxy({ method: "FETCH" }), /method: not an HTTP method/],
  [api.callVaultProxy, proxy({ access_reason: "a\r\nx: y" }), /access_reason: with a character/, UNSENT],
  [api.callVaultProxy, proxy({ forward: { "a b": "c" } }), /not a header name/, UNSENT],
  [
    api.sendTestWebhook,
    { body: { payload: { event_kind: "service.other" } } },
    /payload.event_kind: not a kind/,
  ],
  [
    api.sendTestWebhook,
    { body: { payload: { ...COMPLETED_EVENT, status: undefined } } },
    /payload.status: not an onboarding status/,
  ],
  [
    api.sendTestWebhook,
    { body: { payload: { ...COMPLETED_EVENT, playbook_version: "1" } } },
    /playbook_version/,
  ],
  [
    api.sendTestWebhook,
    { body: { idempotency_key: "", payload: COMPLETED_EVENT } },
    /idempotency_key: blank/,
  ],
  [api.sendTestWebhook, { body: { idempotency_key: "k" } }, /payload: not an object/],
];
