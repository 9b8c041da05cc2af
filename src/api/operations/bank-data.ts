import { looseObject, strictObject } from "../schemas/fields.js";
import { listQuery, noQuery, pageCounts, pathId, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/** GET /users/{fp_id}/bank_links (docs/reference/service.md, "Bank links"); rows: `bankLinkSchema`. */
export const listBankLinks = defineRead({
  name: "list_bank_links",
  part: "bank data",
  summary: "Lists the bank links of a user.",
  path: "/users/{fp_id}/bank_links",
  params: { path: strictObject({ fp_id: pathId }), query: noQuery },
  response: looseObject({ links: rows }),
  names: [{ field: "links[].fp_id", parameter: "path.fp_id" }],
  answer: "`{links: [bank link]}`",
});

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
  names: [{ field: "accounts[].link_id", parameter: "path.link_id" }],
});

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
  names: [{ field: "transactions[].account_id", parameter: "query.account_ids" }],
  list: { style: "total", rows: "transactions", id: "transaction_id" },
  answer: "`{page, size, total, transactions: [bank transaction]}`",
  notShown: "The default of `size`: the answer states it, and paging uses `total` alone.",
});

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
  names: [{ field: "investment_transactions[].account_id", parameter: "query.account_ids" }],
  list: { style: "total", rows: "investment_transactions", id: "investment_transaction_id" },
  answer: "`{page, size, total, investment_transactions: […], securities: […]}`",
  notShown:
    "Amounts are text in the document and numbers in its samples: both pass. Whether `securities` belong to the page or to the whole list: they are collected over all pages, by id.",
});
