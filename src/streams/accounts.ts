import { listLinkAccounts, listUserAccounts } from "../api/operations/bank-data.js";
import { bankAccountSchema } from "../api/schemas/bank-account.js";
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
  pageType: `STRUCT(accounts ${rowType(ROW)}[])`,
  ...changes(
    "accounts",
    "user",
    ["link_id", "account_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "r.link_id" },
      { name: "account_id", type: "VARCHAR", sql: "r.id" },
      { name: "name", type: "VARCHAR", sql: "r.name" },
      { name: "nickname", type: "VARCHAR", sql: "r.nickname" },
      { name: "mask", type: "VARCHAR", sql: "r.mask" },
      { name: "closed", type: "BOOLEAN", sql: "r.closed" },
      { name: "account_type", type: "VARCHAR", sql: "r.account_type" },
      { name: "balance_available", type: "DECIMAL(28,10)", sql: "r.balances.available::decimal(28,10)" },
      { name: "balance_current", type: "DECIMAL(28,10)", sql: `r.balances."current"::decimal(28,10)` },
      { name: "balance_limit", type: "DECIMAL(28,10)", sql: `r.balances."limit"::decimal(28,10)` },
      { name: "balance_currency", type: "VARCHAR", sql: "r.balances.currency" },
      { name: "balance_date", type: "TIMESTAMPTZ", sql: instant("r.balances.balance_date") },
      { name: "balance_date_text", type: "VARCHAR", sql: "r.balances.balance_date" },
      { name: "raw_provider_data", type: "VARCHAR", sql: "r.raw_provider_data::varchar" },
    ],
    "accounts",
  ),
};
