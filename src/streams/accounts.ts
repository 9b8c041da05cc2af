import { listLinkAccounts, listUserAccounts } from "../api/operations/bank-data.js";
import { bankAccountSchema } from "../api/schemas/bank-link.js";
import { knownFields, rowType } from "./row-shape.js";
import { changes, instant, type Stream } from "./stream.js";

const TEXT = "VARCHAR";
const ROW = {
  ...{
    id: TEXT,
    link_id: TEXT,
    name: TEXT,
    nickname: TEXT,
    mask: TEXT,
    closed: "BOOLEAN",
    account_type: TEXT,
  },
  balances: { available: TEXT, current: TEXT, limit: TEXT, currency: TEXT, balance_date: TEXT },
  raw_provider_data: "JSON",
};

/** GET /users/{fp_id}/linked_bank_accounts (docs/reference/service.md, "Bank accounts"), a history of changes. */
export const accountStream: Stream = {
  name: "accounts",
  operation: listUserAccounts,
  ofLink: listLinkAccounts,
  per: "user",
  paging: "none",
  lists: [
    {
      name: "accounts",
      path: ["accounts"],
      row: bankAccountSchema,
      fields: knownFields(ROW),
    },
  ],
  exactNumbers: "by value",
  pageType: `STRUCT(accounts ${rowType(ROW)}[])`,
  ...changes(
    "accounts",
    "user",
    ["link_id", "account_id"],
    {
      external_id: ["VARCHAR", "o.external_id", "yours, as the roster said last; null where none did"],
      link_id: ["VARCHAR", "r.link_id", "the bank link"],
      account_id: ["VARCHAR", "r.id", "the account"],
      name: ["VARCHAR", "r.name", "its name"],
      nickname: ["VARCHAR", "r.nickname", "the customer's"],
      mask: ["VARCHAR", "r.mask", "last digits"],
      closed: ["BOOLEAN", "r.closed", "whether it is closed"],
      account_type: ["VARCHAR", "r.account_type", "as given, such as `depository.checking`"],
      balance_available: ["DECIMAL(28,10)", "r.balances.available::decimal(28,10)", "as the bank states it"],
      balance_current: ["DECIMAL(28,10)", `r.balances."current"::decimal(28,10)`, "as the bank states it"],
      balance_limit: ["DECIMAL(28,10)", `r.balances."limit"::decimal(28,10)`, "as the bank states it"],
      balance_currency: ["VARCHAR", "r.balances.currency", "as given"],
      balance_date: [
        "TIMESTAMPTZ",
        instant("r.balances.balance_date"),
        "as an instant, if the text has an offset",
      ],
      balance_date_text: ["VARCHAR", "r.balances.balance_date", "what the bank gave"],
      raw_provider_data: ["VARCHAR", "r.raw_provider_data::varchar", "JSON, as given by the data provider"],
    },
    "accounts",
    { about: "Bank accounts as they were observed", kept: ["external_id"] },
  ),
};
