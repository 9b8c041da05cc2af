import { z } from "zod";
import { defineOperation } from "../operation.js";
import { noQuery, pathId, rows } from "../parameters.js";

/** GET /users/{fp_id}/linked_bank_accounts (SERVICE.md 4.4); rows: `bankAccountSchema`. */
export const listUserAccounts = defineOperation({
  name: "list_user_accounts",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_accounts",
  params: { path: z.strictObject({ fp_id: pathId }), query: noQuery },
  response: z.looseObject({ accounts: rows }, "not an object"),
  auth: "secret_key",
  idempotent: true,
});
