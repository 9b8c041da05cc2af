import * as api from "../../src/api/index.js";
import type { RuleRow } from "./rule-table.js";

const FP = { fp_id: "fp_1" };
const key = "pb_kyc";
const onboarding = (body: object) => ({ body });
const token = (body: object) => ({ path: FP, body });

/** Rules of onboardings, client tokens and the vault, each broken once. */
export const VAULT_RULES: readonly RuleRow[] = [
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
];
