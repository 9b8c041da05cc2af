import { listInvestmentTransactions } from "../api/operations/bank-data.js";
import { investmentTransactionSchema } from "../api/schemas/transaction.js";
import { knownFields, rowType } from "./row-shape.js";
import { changes, dayIn, exactAmount, instant, type Stream } from "./stream.js";

/** It is read once for both streams. */
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

const MONEY = new Set(["amount", "fees", "forex_rate", "price", "quantity"]);

/** A history of changes of GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"). */
export const investmentTransactionStream: Stream = {
  name: "investment_transactions",
  ...investmentList,
  lists: [
    {
      name: "investment_transactions",
      path: ["investment_transactions"],
      row: investmentTransactionSchema,
      fields: knownFields(ROW, MONEY),
    },
  ],
  exactNumbers: MONEY,
  pageType: `STRUCT(investment_transactions ${rowType(ROW)}[])`,
  ...changes(
    "investment_transaction_changes",
    "link",
    ["investment_transaction_id"],
    {
      link_id: ["VARCHAR", "o.link_id", "the bank link"],
      investment_transaction_id: [
        "VARCHAR",
        "r.investment_transaction_id",
        "the transaction; unique within its link, not beyond",
      ],
      account_id: ["VARCHAR", "r.account_id", "the account"],
      amount: ["DECIMAL(28,10)", exactAmount("r.amount"), "as the service gave it"],
      fees: ["DECIMAL(28,10)", exactAmount("r.fees"), "as given"],
      forex_rate: ["DECIMAL(28,10)", exactAmount("r.forex_rate"), "as given"],
      price: ["DECIMAL(28,10)", exactAmount("r.price"), "of one unit"],
      quantity: ["DECIMAL(28,10)", exactAmount("r.quantity"), "units"],
      date: ["DATE", dayIn('r."date"'), "the day, as the institution gives it"],
      datetime: [
        "TIMESTAMPTZ",
        instant("r.datetime"),
        "the instant, if the institution gave one with an offset",
      ],
      datetime_text: ["VARCHAR", "r.datetime", "the whole text that it gave"],
      description: ["VARCHAR", "r.description", "as given"],
      type: ["VARCHAR", `r."type"`, "as given, such as `buy`"],
      security_id: ["VARCHAR", "r.security_id", "the security, in `securities`"],
    },
    "investment_transactions",
    {
      about: "The feed of investment transactions",
      current: "investment_transactions",
      mark: "change_type",
      lists: { since: "date", per: "account_id" },
    },
  ),
};
