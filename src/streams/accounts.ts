import { listUserAccounts } from "../api/operations/bank-data.js";
import { bankAccountSchema } from "../api/schemas/bank-account.js";
import { changes, instant, type Stream } from "./stream.js";

/** GET /users/{fp_id}/linked_bank_accounts (docs/reference/service.md, "Bank accounts"), a history of changes. */
export const accountStream: Stream = {
  name: "accounts",
  operation: listUserAccounts,
  per: "user",
  paging: "none",
  lists: [
    {
      name: "accounts",
      path: ["accounts"],
      row: bankAccountSchema,
      fields: new Set([...Object.keys(bankAccountSchema.shape), "raw_provider_data"]),
    },
  ],
  pageType: `STRUCT(accounts STRUCT(id VARCHAR, link_id VARCHAR, name VARCHAR, nickname VARCHAR, mask VARCHAR,
    closed BOOLEAN, account_type VARCHAR, balances STRUCT(available VARCHAR, "current" VARCHAR, "limit" VARCHAR,
    currency VARCHAR, balance_date VARCHAR), raw_provider_data JSON)[])`,
  ...changes(
    "accounts",
    "user",
    ["link_id", "account_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "a.link_id" },
      { name: "account_id", type: "VARCHAR", sql: "a.id" },
      { name: "name", type: "VARCHAR", sql: "a.name" },
      { name: "nickname", type: "VARCHAR", sql: "a.nickname" },
      { name: "mask", type: "VARCHAR", sql: "a.mask" },
      { name: "closed", type: "BOOLEAN", sql: "a.closed" },
      { name: "account_type", type: "VARCHAR", sql: "a.account_type" },
      { name: "balance_available", type: "DECIMAL(28,10)", sql: "a.balances.available::decimal(28,10)" },
      { name: "balance_current", type: "DECIMAL(28,10)", sql: `a.balances."current"::decimal(28,10)` },
      { name: "balance_limit", type: "DECIMAL(28,10)", sql: `a.balances."limit"::decimal(28,10)` },
      { name: "balance_currency", type: "VARCHAR", sql: "a.balances.currency" },
      { name: "balance_date", type: "TIMESTAMPTZ", sql: instant("a.balances.balance_date") },
      { name: "balance_date_text", type: "VARCHAR", sql: "a.balances.balance_date" },
      { name: "raw_provider_data", type: "VARCHAR", sql: "a.raw_provider_data::varchar" },
    ],
    `(select page_no, unnest(accounts) as a from page) join origin o using (page_no) where a is not null`,
  ),
};
