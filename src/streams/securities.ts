import { securitySchema } from "../api/schemas/investment-transaction.js";
import { investmentList } from "./investment-transactions.js";
import { exactAmount, plainDay } from "./sql.js";
import { changes, type Stream } from "./stream.js";

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
      fields: new Set(Object.keys(securitySchema.shape)),
    },
  ],
  exactNumbers: new Set(["close_price"]),
  pageType: `STRUCT(securities STRUCT(security_id VARCHAR, name VARCHAR, currency VARCHAR, "type" VARCHAR,
    ticker VARCHAR, isin VARCHAR, sedol VARCHAR, close_date VARCHAR, close_price VARCHAR)[])`,
  ...changes(
    "security_changes",
    "link",
    ["security_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "o.link_id" },
      { name: "security_id", type: "VARCHAR", sql: "s.security_id" },
      { name: "name", type: "VARCHAR", sql: "s.name" },
      { name: "currency", type: "VARCHAR", sql: "s.currency" },
      { name: "type", type: "VARCHAR", sql: `s."type"` },
      { name: "ticker", type: "VARCHAR", sql: "s.ticker" },
      { name: "isin", type: "VARCHAR", sql: "s.isin" },
      { name: "sedol", type: "VARCHAR", sql: "s.sedol" },
      { name: "close_date", type: "DATE", sql: plainDay("s.close_date") },
      { name: "close_date_text", type: "VARCHAR", sql: "s.close_date" },
      { name: "close_price", type: "DECIMAL(28,10)", sql: exactAmount("s.close_price") },
    ],
    `(select page_no, unnest(securities) as s from page) join origin o using (page_no) where s is not null`,
    { current: "securities", mark: "change_type", lists: "some" },
  ),
};
