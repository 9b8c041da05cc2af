import { listInvestmentTransactions } from "../api/operations/bank-data.js";
import { investmentTransactionSchema } from "../api/schemas/investment-transaction.js";
import { knownFields, rowType } from "./row-shape.js";
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

const TEXT = "VARCHAR";
const ROW = {
  ...{ investment_transaction_id: TEXT, account_id: TEXT, amount: TEXT, fees: TEXT, forex_rate: TEXT },
  ...{ price: TEXT, quantity: TEXT, date: TEXT, datetime: TEXT, description: TEXT, type: TEXT },
  security_id: TEXT,
};

/** A history of changes of GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"). */
export const investmentTransactionStream: Stream = {
  name: "investment_transactions",
  ...investmentList,
  lists: [
    {
      name: "investment_transactions",
      path: ["investment_transactions"],
      row: investmentTransactionSchema,
      fields: knownFields(ROW),
    },
  ],
  exactNumbers: new Set(["amount", "fees", "forex_rate", "price", "quantity"]),
  pageType: `STRUCT(investment_transactions ${rowType(ROW)}[])`,
  ...changes(
    "investment_transaction_changes",
    "link",
    ["investment_transaction_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "o.link_id" },
      { name: "investment_transaction_id", type: "VARCHAR", sql: "r.investment_transaction_id" },
      { name: "account_id", type: "VARCHAR", sql: "r.account_id" },
      { name: "amount", type: "DECIMAL(28,10)", sql: exactAmount("r.amount") },
      { name: "fees", type: "DECIMAL(28,10)", sql: exactAmount("r.fees") },
      { name: "forex_rate", type: "DECIMAL(28,10)", sql: exactAmount("r.forex_rate") },
      { name: "price", type: "DECIMAL(28,10)", sql: exactAmount("r.price") },
      { name: "quantity", type: "DECIMAL(28,10)", sql: exactAmount("r.quantity") },
      { name: "date", type: "DATE", sql: `r."date"::date` },
      { name: "datetime", type: "TIMESTAMPTZ", sql: instant("r.datetime") },
      { name: "datetime_text", type: "VARCHAR", sql: "r.datetime" },
      { name: "description", type: "VARCHAR", sql: "r.description" },
      { name: "type", type: "VARCHAR", sql: `r."type"` },
      { name: "security_id", type: "VARCHAR", sql: "r.security_id" },
    ],
    "investment_transactions",
    { current: "investment_transactions", mark: "change_type", lists: { since: "date", per: "account_id" } },
  ),
};
