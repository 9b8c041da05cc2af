import { z } from "zod";
import { noQuery, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** GET /users/{fp_id}/linked_bank_accounts (docs/reference/service.md, "Bank accounts"); rows: `bankAccountSchema`. */
export const listUserAccounts = defineOperation({
  name: "list_user_accounts",
  part: "bank data",
  summary: "Lists the bank accounts of a user over all links.",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_accounts",
  params: { path: z.strictObject({ fp_id: pathId }), query: noQuery },
  response: z.looseObject({ accounts: rows }, "not an object"),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{accounts: [bank account]}`",
});
