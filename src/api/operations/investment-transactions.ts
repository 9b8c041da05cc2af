import { z } from "zod";
import { listQuery, pageCounts, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/**
 * GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"), one page;
 * rows: `investmentTransactionSchema` and `securitySchema`.
 */
export const listInvestmentTransactions = defineOperation({
  name: "list_investment_transactions",
  part: "bank data",
  summary: "Lists the investment transactions of a link and their securities, page by page.",
  method: "GET",
  path: "/bank_links/{link_id}/investments/transactions",
  params: { path: z.strictObject({ link_id: pathId }), query: listQuery },
  response: z.looseObject(
    { ...pageCounts, investment_transactions: rows, securities: rows },
    "not an object",
  ),
  list: { style: "total", rows: "investment_transactions", id: "investment_transaction_id" },
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{page, size, total, investment_transactions: […], securities: […]}`",
  notShown:
    "Amounts are text by the document and numbers in its samples: both pass. Whether `securities` are those of the page or of the whole list: they are gathered over all pages, by id.",
});
