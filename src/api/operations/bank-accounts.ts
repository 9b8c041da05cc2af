import { looseObject, strictObject } from "../schemas/fields.js";
import { noQuery, pathId, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

const shared = {
  part: "bank data",
  response: looseObject({ accounts: rows }),
  answer: "`{accounts: [bank account]}`",
} as const;

/** GET /users/{fp_id}/linked_bank_accounts (docs/reference/service.md, "Bank accounts"); rows: `bankAccountSchema`. */
export const listUserAccounts = defineRead({
  ...shared,
  name: "list_user_accounts",
  summary: "Lists the bank accounts of a user over all links.",
  path: "/users/{fp_id}/linked_bank_accounts",
  params: { path: strictObject({ fp_id: pathId }), query: noQuery },
});

/** GET /bank_links/{link_id}/accounts (docs/reference/service.md, "Bank accounts"); rows: `bankAccountSchema`. */
export const listLinkAccounts = defineRead({
  ...shared,
  name: "list_link_accounts",
  summary: "Lists the bank accounts of a link.",
  path: "/bank_links/{link_id}/accounts",
  params: { path: strictObject({ link_id: pathId }), query: noQuery },
});
