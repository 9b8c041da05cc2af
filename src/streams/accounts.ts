import { listUserAccounts } from "../api/operations/user-accounts.js";
import { bankAccountSchema } from "../api/schemas/bank-account.js";
import type { Stream } from "../lake/sync/stream.js";
import { accounts } from "../lake/tables/accounts.js";
import { instant } from "./sql.js";

const FIELDS = new Set([...Object.keys(bankAccountSchema.shape), "raw_provider_data"]);

/**
 * GET /users/{fp_id}/linked_bank_accounts into `accounts`, an observation a run
 * (docs/service.md, "Bank accounts").
 */
export const accountStream: Stream = {
  name: "accounts",
  envelope: listUserAccounts.response,
  lists: [{ name: "accounts", path: ["accounts"], row: bankAccountSchema, fields: FIELDS }],
  table: accounts,
  pageType: `STRUCT(accounts STRUCT(id VARCHAR, link_id VARCHAR, name VARCHAR, nickname VARCHAR, mask VARCHAR,
    closed BOOLEAN, account_type VARCHAR, balances STRUCT(available VARCHAR, "current" VARCHAR, "limit" VARCHAR,
    currency VARCHAR, balance_date VARCHAR), raw_provider_data JSON)[])`,
  projection: `
    select o.run_id, o.fetched_at as observed_at, o.fp_id, a.link_id as link_id, a.id as account_id,
      a.name as name, a.nickname as nickname, a.mask as mask, a.closed as closed,
      a.account_type as account_type, a.balances.available::decimal(28,10) as balance_available,
      a.balances."current"::decimal(28,10) as balance_current,
      a.balances."limit"::decimal(28,10) as balance_limit, a.balances.currency as balance_currency,
      ${instant("a.balances.balance_date")} as balance_date, a.balances.balance_date as balance_date_text,
      a.raw_provider_data::varchar as raw_provider_data
    from (select page_no, unnest(accounts) as a from page) join origin o using (page_no)
    where a is not null`,
};
