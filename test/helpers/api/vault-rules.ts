import * as api from "../../../src/api/operations/index.js";
import type { RuleRow } from "./rule-table.js";
import { FREE_FORM } from "./service-rules.js";

const FP = { fp_id: "fp_1" };
const key = "pb_kyc";
const onboarding = (body: object) => ({ body });
const token = (body: object) => ({ path: FP, body });

/** Rules of onboardings, client tokens and the vault, each broken once. */
export const VAULT_RULES: readonly RuleRow[] = [
  [api.createOnboarding, onboarding(FP), /body field key: not text \(given: nothing\)/],
  [api.createOnboarding, {}, /body: not an object.*Accepted: an object of key, fp_id/],
  [api.createOnboarding, onboarding({ key, fp_id: "" }), /fp_id: blank/],
  [
    api.createOnboarding,
    onboarding({ key, ...FP, prerequisite_data: { at: new Date(0) } }),
    /prerequisite_data.at: not a JSON value/,
    "JSON makes a text of it on its way",
  ],
  [api.createOnboarding, onboarding({ key: "pb_kyc:3", ...FP }), /key: not a playbook key/],
  [api.createOnboarding, onboarding({ key: "pb_kyc:v0", ...FP }), /key: not a playbook key/],
  [api.createOnboarding, onboarding({ key, ...FP, external_id: "x" }), /external_id: given together/],
  [api.createOnboarding, onboarding({ key }), /fp_id: missing/],
  [
    api.createOnboarding,
    onboarding({ key, external_id: "a b" }),
    /external_id: with white space/,
    "the document limits it for businesses only",
  ],
  [
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: 0 }),
    /secs: less than 1 \(given: an integer\)/,
  ],
  [api.createOnboarding, onboarding({ key, ...FP, synchronous_timeout_secs: 31 }), /secs: more than 30/],
  [
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: 1.5 }),
    /secs: not an integer \(given: a number\)/,
  ],
  [
    api.createOnboarding,
    onboarding({ key, ...FP, synchronous_timeout_secs: "5" }),
    /secs: not an integer \(given: text\)/,
  ],
  [
    api.createOnboarding,
    onboarding({ key, ...FP, prerequisite_data: [] }),
    /prerequisite_data: not an object/,
  ],
  [api.createOnboarding, onboarding({ key, ...FP, fp_bid: "b" }), /fp_bid: not known/],
  [api.listUserOnboardings, { path: FP, query: { page: 0 } }, /page: not positive/],
  [
    api.listBusinessOnboardings,
    { path: { fp_bid: "fb_1" }, query: { page_size: -1 } },
    /page_size: not positive/,
  ],
  [api.listBusinessOnboardings, { path: { fp_bid: "fb_1" }, query: { page: 1.5 } }, /page: not an integer/],
  [api.listUserOnboardings, { path: FP, query: { page_size: 0 } }, /page_size: not positive/],
  [api.validateSession, { body: {} }, /validation_token: not text/],
  [api.createClientToken, token({ fields: ["id.dob"] }), /scope: not a scope/],
  [api.createClientToken, token({ scope: "read" }), /scope: not a scope/],
  [
    api.createClientToken,
    token({ scope: "vault_card", fields: ["id.dob"] }),
    /fields: given with scope vault_card/,
  ],
  [api.createClientToken, token({ scope: "vault", fields: ["id.dob"], ttl: 59 }), /ttl: less than 60/],
  [api.createClientToken, token({ scope: "vault", fields: ["id.dob"], ttl: 86_401 }), /ttl: more than 86400/],
  [api.createClientToken, token({ scope: "vault", fields: ["id.dob"], ttl: 60.5 }), /ttl: not an integer/],
  [
    api.createClientToken,
    token({ scope: "decrypt", fields: ["id.dob"], decrypt_reason: "" }),
    /decrypt_reason: blank/,
  ],
  [api.createClientToken, token({ scope: "vault", fields: "id.dob" }), /fields: not a list/],
  [
    api.createClientToken,
    token({ scope: "vault", fields: ["business.tin"] }),
    /fields.0: of the group business/,
  ],
  [api.createClientToken, token({ scope: "vault", fields: ["id.ssn"] }), /fields.0: not a data identifier/],
  [api.createClientToken, token({ scope: "vault", fields: ["custom."] }), /fields.0: custom without a name/],
  [api.decryptVault, { body: { fields: ["business.tin"], reason: "r" } }, /fields.0: of the group business/],
  [
    api.decryptVault,
    { body: { fields: ["id.dob"], reason: "r", transforms: ["prefix('x')"] } },
    /transforms.0: argument 1/,
  ],
  [
    api.decryptVault,
    { body: { fields: ["id.dob"], reason: "r", transforms: "to_ascii" } },
    /transforms: not a list/,
  ],
  [api.decryptVault, { body: { fields: ["id.ssn"], reason: "r" } }, /fields.0: not a data identifier/],
  [api.decryptVault, { body: { fields: ["id.dob"], reason: "" } }, /reason: blank/],
  [api.updateVault, { body: { "id.ssn": "1" } }, /id.ssn: not a data identifier/],
  [api.updateVault, { body: JSON.parse('{"__proto__":"1"}') }, /not quoted\): not a data identifier/],
  [api.updateVault, { body: [] }, /body: not an object/],
  [api.updateVault, { body: { "business.tin": "1" } }, /business.tin: of the group business/],
  [api.updateVault, { body: { "id.dob": [new Date(0)] } }, /id.dob/],
  [api.updateVault, { body: { "id.dob": 1.5 } }, /id.dob: not text, an integer/],
  [api.updateVault, { body: { "id.dob": null } }, /id.dob: not text.*given: null/],
  [api.uploadToVault, { path: { identifier: "custom" }, body: "x" }, /identifier: not a data identifier/],
  [
    api.uploadToVault,
    { path: { identifier: "custom.a/b" }, body: "x" },
    /identifier: has a slash/,
    "encoded, it would be taken",
  ],
  [
    api.uploadToVault,
    { path: { identifier: "custom.x" } },
    /body: not text, bytes or a source/,
    "no bytes are an empty value there",
  ],
  [
    api.uploadToVault,
    { path: { identifier: "custom.x" }, headers: { content_type: "png" }, body: "x" },
    /content_type: not a media type/,
    FREE_FORM,
  ],
  [api.uploadToVault, { path: { identifier: "investor_profile.net_worth" }, body: "x" }, /takes no upload/],
];
