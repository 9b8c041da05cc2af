import { looseObject, strictObject } from "../schemas/fields.js";
import { listQuery, pageCounts, pathId, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/**
 * GET /users/{fp_id}/linked_bank_transactions (docs/reference/service.md, "Bank transactions"), one page; rows:
 * `bankTransactionSchema`.
 */
export const listUserTransactions = defineRead({
  name: "list_user_transactions",
  part: "bank data",
  summary: "Lists the current transactions of a user, page by page.",
  path: "/users/{fp_id}/linked_bank_transactions",
  params: { path: strictObject({ fp_id: pathId }), query: listQuery },
  response: looseObject({ ...pageCounts, transactions: rows }),
  list: { style: "total", rows: "transactions", id: "transaction_id" },
  answer: "`{page, size, total, transactions: [bank transaction]}`",
  notShown: "The default of `size`: the answer states it, and paging uses `total` alone.",
});
