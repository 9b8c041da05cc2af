import { listInvestmentTransactions } from "../api/operations/bank-data.js";
import { investmentTransactionSchema } from "../api/schemas/investment-transaction.js";
import { exactAmount } from "./sql.js";
import { changes, instant, type Stream } from "./stream.js";

/** The list that streams of investments share: it is read once for all of them. */
export const investmentList = {
  operation: listInvestmentTransactions,
  per: "link",
  paging: "page",
  windowed: "date",
  onRequest: true,
} as const;

/** A history of changes of GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"). */
export const investmentTransactionStream: Stream = {
  name: "investment_transactions",
  ...investmentList,
  lists: [
    {
      name: "investment_transactions",
      path: ["investment_transactions"],
      row: investmentTransactionSchema,
      fields: new Set(Object.keys(investmentTransactionSchema.shape)),
    },
  ],
  exactNumbers: new Set(["amount", "fees", "forex_rate", "price", "quantity"]),
  pageType: `STRUCT(investment_transactions STRUCT(investment_transaction_id VARCHAR, account_id VARCHAR,
    amount VARCHAR, fees VARCHAR, forex_rate VARCHAR, price VARCHAR, quantity VARCHAR, "date" VARCHAR,
    datetime VARCHAR, description VARCHAR, "type" VARCHAR, security_id VARCHAR)[])`,
  ...changes(
    "investment_transaction_changes",
    "link",
    ["investment_transaction_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "o.link_id" },
      { name: "investment_transaction_id", type: "VARCHAR", sql: "t.investment_transaction_id" },
      { name: "account_id", type: "VARCHAR", sql: "t.account_id" },
      { name: "amount", type: "DECIMAL(28,10)", sql: exactAmount("t.amount") },
      { name: "fees", type: "DECIMAL(28,10)", sql: exactAmount("t.fees") },
      { name: "forex_rate", type: "DECIMAL(28,10)", sql: exactAmount("t.forex_rate") },
      { name: "price", type: "DECIMAL(28,10)", sql: exactAmount("t.price") },
      { name: "quantity", type: "DECIMAL(28,10)", sql: exactAmount("t.quantity") },
      { name: "date", type: "DATE", sql: `t."date"::date` },
      { name: "datetime", type: "TIMESTAMPTZ", sql: instant("t.datetime") },
      { name: "datetime_text", type: "VARCHAR", sql: "t.datetime" },
      { name: "description", type: "VARCHAR", sql: "t.description" },
      { name: "type", type: "VARCHAR", sql: `t."type"` },
      { name: "security_id", type: "VARCHAR", sql: "t.security_id" },
    ],
    `(select page_no, unnest(investment_transactions) as t from page) join origin o using (page_no) where t is not null`,
    { current: "investment_transactions", mark: "change_type", lists: { since: "date", per: "account_id" } },
  ),
};
