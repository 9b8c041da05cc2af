import { z } from "zod";
import { defineOperation } from "../operation.js";
import { listQuery, pageCounts, pathId, rows } from "../parameters.js";

/** GET /users/{fp_id}/linked_bank_transactions (SERVICE.md 4.4), one page; rows: `bankTransactionSchema`. */
export const listUserTransactions = defineOperation({
  name: "list_user_transactions",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_transactions",
  params: { path: z.strictObject({ fp_id: pathId }), query: listQuery },
  response: z.looseObject({ ...pageCounts, transactions: rows }, "not an object"),
  auth: "secret_key",
  idempotent: true,
});
