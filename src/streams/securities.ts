import { securitySchema } from "../api/schemas/investment-transaction.js";
import { investmentList } from "./investment-transactions.js";
import { knownFields, rowType } from "./row-shape.js";
import { exactAmount, plainDay } from "./sql.js";
import { changes, type Stream } from "./stream.js";

const TEXT = "VARCHAR";
const ROW = {
  ...{ security_id: TEXT, name: TEXT, currency: TEXT, type: TEXT, ticker: TEXT, isin: TEXT, sedol: TEXT },
  ...{ close_date: TEXT, close_price: TEXT },
};

/**
 * A history of changes of the securities in GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md,
 * "Investment transactions"). Each answer holds those of its rows, so none is ever gone.
 */
export const securityStream: Stream = {
  name: "securities",
  ...investmentList,
  lists: [
    {
      name: "securities",
      path: ["securities"],
      row: securitySchema,
      fields: knownFields(ROW),
    },
  ],
  exactNumbers: new Set(["close_price"]),
  pageType: `STRUCT(securities ${rowType(ROW)}[])`,
  ...changes(
    "security_changes",
    "link",
    ["security_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "o.link_id" },
      { name: "security_id", type: "VARCHAR", sql: "r.security_id" },
      { name: "name", type: "VARCHAR", sql: "r.name" },
      { name: "currency", type: "VARCHAR", sql: "r.currency" },
      { name: "type", type: "VARCHAR", sql: `r."type"` },
      { name: "ticker", type: "VARCHAR", sql: "r.ticker" },
      { name: "isin", type: "VARCHAR", sql: "r.isin" },
      { name: "sedol", type: "VARCHAR", sql: "r.sedol" },
      { name: "close_date", type: "DATE", sql: plainDay("r.close_date") },
      { name: "close_date_text", type: "VARCHAR", sql: "r.close_date" },
      { name: "close_price", type: "DECIMAL(28,10)", sql: exactAmount("r.close_price") },
    ],
    "securities",
    { current: "securities", mark: "change_type", lists: "some" },
  ),
};
