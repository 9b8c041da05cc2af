import { looseObject, strictObject } from "../schemas/fields.js";
import { listQuery, pageCounts, pathId, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/**
 * GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"), one page;
 * rows: `investmentTransactionSchema` and `securitySchema`.
 */
export const listInvestmentTransactions = defineRead({
  name: "list_investment_transactions",
  part: "bank data",
  summary: "Lists the investment transactions of a link and their securities, page by page.",
  path: "/bank_links/{link_id}/investments/transactions",
  params: { path: strictObject({ link_id: pathId }), query: listQuery },
  response: looseObject({ ...pageCounts, investment_transactions: rows, securities: rows }),
  list: { style: "total", rows: "investment_transactions", id: "investment_transaction_id" },
  answer: "`{page, size, total, investment_transactions: […], securities: […]}`",
  notShown:
    "Amounts are text in the document and numbers in its samples: both pass. Whether `securities` belong to the page or to the whole list: they are collected over all pages, by id.",
});
