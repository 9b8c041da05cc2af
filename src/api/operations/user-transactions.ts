import { z } from "zod";
import { listQuery, pageCounts, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/**
 * GET /users/{fp_id}/linked_bank_transactions (docs/reference/service.md, "Bank transactions"), one page; rows:
 * `bankTransactionSchema`.
 */
export const listUserTransactions = defineOperation({
  name: "list_user_transactions",
  part: "bank data",
  summary: "Lists the transactions of a user that are there now, page by page.",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_transactions",
  params: { path: z.strictObject({ fp_id: pathId }), query: listQuery },
  response: z.looseObject({ ...pageCounts, transactions: rows }, "not an object"),
  list: { style: "total", rows: "transactions", id: "transaction_id" },
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{page, size, total, transactions: [bank transaction]}`",
  notShown: "What `size` is when it is left out: the answer says it, and paging goes by `total` alone.",
});
