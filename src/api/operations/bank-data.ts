import { amount, isoDate, nonBlankText } from "../schemas/body-fields.js";
import { anyText, flag, listOf, looseObject, strictObject } from "../schemas/fields.js";
import { cursor, emptyAnswer, ids, listQuery, pageCounts, positive, rows } from "../schemas/parameters.js";
import { defineOperation, defineRead } from "./operation.js";

/** docs/reference/service.md, "Bank links"; rows: `bankLinkSchema`. */
export const listBankLinks = defineRead({
  name: "list_bank_links",
  part: "bank data",
  summary: "Lists the bank links of a user.",
  path: "/users/{fp_id}/bank_links",
  params: ids("fp_id"),
  response: looseObject({ links: rows }),
  names: [{ field: "links[].fp_id", parameter: "path.fp_id" }],
  answer: "`{links: [bank link]}`",
});

const shared = {
  part: "bank data",
  response: looseObject({ accounts: rows }),
  answer: "`{accounts: [bank account]}`",
} as const;

/** docs/reference/service.md, "Bank accounts"; rows: `bankAccountSchema`. */
export const listUserAccounts = defineRead({
  ...shared,
  name: "list_user_accounts",
  summary: "Lists the bank accounts of a user over all links.",
  path: "/users/{fp_id}/linked_bank_accounts",
  params: ids("fp_id"),
});

/** docs/reference/service.md, "Bank accounts"; rows: `bankAccountSchema`. */
export const listLinkAccounts = defineRead({
  ...shared,
  name: "list_link_accounts",
  summary: "Lists the bank accounts of a link.",
  path: "/bank_links/{link_id}/accounts",
  params: ids("link_id"),
  names: [{ field: "accounts[].link_id", parameter: "path.link_id" }],
});

/**
 * docs/reference/service.md, "Bank transactions", one page; rows:
 * `bankTransactionSchema`.
 */
export const listUserTransactions = defineRead({
  name: "list_user_transactions",
  part: "bank data",
  summary: "Lists the current transactions of a user, page by page.",
  path: "/users/{fp_id}/linked_bank_transactions",
  params: { ...ids("fp_id"), query: listQuery },
  response: looseObject({ ...pageCounts, transactions: rows }),
  names: [{ field: "transactions[].account_id", parameter: "query.account_ids" }],
  list: { style: "total", rows: "transactions", id: "transaction_id" },
  exactNumbers: "by value",
  answer: "`{page, size, total, transactions: [bank transaction]}`",
  notShown: "The default of `size`: the answer states it, and paging uses `total` alone.",
});

/**
 * docs/reference/service.md, "Investment transactions", one page;
 * rows: `investmentTransactionSchema` and `securitySchema`.
 */
export const listInvestmentTransactions = defineRead({
  name: "list_investment_transactions",
  part: "bank data",
  summary: "Lists the investment transactions of a link and their securities, page by page.",
  path: "/bank_links/{link_id}/investments/transactions",
  params: { ...ids("link_id"), query: listQuery },
  response: looseObject({ ...pageCounts, investment_transactions: rows, securities: rows }),
  names: [{ field: "investment_transactions[].account_id", parameter: "query.account_ids" }],
  list: { style: "total", rows: "investment_transactions", id: "investment_transaction_id" },
  answer: "`{page, size, total, investment_transactions: […], securities: […]}`",
  notShown:
    "Amounts are text in the document and numbers in its samples: both pass. Whether `securities` belong to the page or to the whole list: they are collected over all pages, by id.",
});

const row = strictObject({
  account_id: nonBlankText.describe("the service's id of the account, or yours that it was imported under"),
  amount,
  date: isoDate,
  description: anyText.optional(),
  transaction_id: nonBlankText.optional(),
  transaction_type: nonBlankText.optional(),
});

/** docs/reference/service.md, "Transaction import". */
export const importTransactions = defineOperation({
  name: "import_transactions",
  part: "bank data",
  summary: "Imports transactions into a link; they come back through `sync_transactions`.",
  method: "POST",
  path: "/bank_links/{link_id}/import/transactions",
  params: {
    ...ids("link_id"),
    body: strictObject({
      transactions: listOf(row)
        .nonempty("empty")
        .describe(
          "a list of {account_id, amount (decimal text), date (ISO 8601), description?, transaction_id?, transaction_type?}",
        ),
    }),
  },
  response: emptyAnswer,
  answers: "nothing",
  // For many rows the service takes ten seconds and more.
  extraTimeoutMs: () => 10_000,
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Not sent again as a whole: the answer does not report single rows. The link is read and the rows are looked up by account and `transaction_id`, which may be `original_id` there. Rows that are missing are sent again where imported rows are seen to come back so; where they are not, the call fails with `LostAnswerError`. Rows without a `transaction_id` are reported as *unknown*, by their positions.",
  answer: "`{}`",
  notShown:
    "What the service does with a `transaction_id` that it has already, and how many rows a request may hold.",
});

/**
 * docs/reference/service.md, "Sync operation": one page of a link's change
 * log. `cursor.next` may be missing, null or empty while a history is not ready.
 */
export const syncTransactions = defineRead({
  name: "sync_transactions",
  part: "bank data",
  summary: "Lists what changed in the transactions of a link after a cursor.",
  path: "/bank_links/{link_id}/transactions/sync",
  params: {
    ...ids("link_id"),
    query: strictObject({ cursor: cursor.optional(), size: positive.optional() }),
  },
  response: looseObject({
    cursor: looseObject({ next: anyText.nullish() }).nullish(),
    has_more: flag,
    transactions: looseObject({ created: rows, updated: rows, removed: rows }),
  }),
  exactNumbers: "by value",
  answer: "`{cursor: {next?}, has_more, transactions: {created, updated, removed}}`",
  notShown:
    "Bounds and default of `size`: any positive integer is sent; a refused one is a `RejectedError`. `cursor.next` may be missing, null or empty while a history is not ready.",
});
