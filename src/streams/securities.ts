import { securitySchema } from "../api/schemas/transaction.js";
import { investmentList } from "./investment-transactions.js";
import { knownFields, rowType } from "./row-shape.js";
import { changes, exactAmount, plainDay, type Stream } from "./stream.js";

const TEXT = "VARCHAR";
const ROW = {
  ...{ security_id: TEXT, name: TEXT, currency: TEXT, type: TEXT, ticker: TEXT, isin: TEXT, sedol: TEXT },
  ...{ close_date: TEXT, close_price: TEXT },
};

const MONEY = new Set(["close_price"]);

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
      fields: knownFields(ROW, MONEY),
    },
  ],
  exactNumbers: MONEY,
  pageType: `STRUCT(securities ${rowType(ROW)}[])`,
  ...changes(
    "security_changes",
    "link",
    ["security_id"],
    {
      link_id: ["VARCHAR", "o.link_id", "the bank link"],
      security_id: ["VARCHAR", "r.security_id", "the security; unique within its link, not beyond"],
      name: ["VARCHAR", "r.name", "its name"],
      currency: ["VARCHAR", "r.currency", "as given, usually ISO 4217"],
      type: ["VARCHAR", `r."type"`, "as given, such as `etf`"],
      ticker: ["VARCHAR", "r.ticker", "ticker"],
      isin: ["VARCHAR", "r.isin", "ISIN (ISO 6166)"],
      sedol: ["VARCHAR", "r.sedol", "SEDOL"],
      close_date: [
        "DATE",
        plainDay("r.close_date"),
        "the day of the closing price, if the text is a plain `YYYY-MM-DD`",
      ],
      close_date_text: ["VARCHAR", "r.close_date", "what the service gave"],
      close_price: ["DECIMAL(28,10)", exactAmount("r.close_price"), "as given"],
    },
    "securities",
    {
      about: "The securities of investment transactions",
      current: "securities",
      mark: "change_type",
      lists: "some",
    },
  ),
};
