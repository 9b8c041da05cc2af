import type { TableSpec } from "../../delta/delta-schema.js";
import { boolean, money, timestamptz, varchar } from "../../tables/columns.js";

const OBSERVED = [...varchar("run_id", "fp_id", "link_id"), ...timestamptz("observed_at")];

/** The columns of the history `accounts` that a reconciliation reads. */
export const accounts: TableSpec = {
  name: "accounts",
  columns: [
    ...OBSERVED,
    ...varchar("account_id"),
    ...money("balance_current"),
    ...varchar("balance_currency"),
    ...boolean("gone"),
  ],
};

/** As {@link accounts}, of `bank_links`. */
export const bankLinks: TableSpec = {
  name: "bank_links",
  columns: [...OBSERVED, ...varchar("state", "error_code"), ...boolean("gone")],
};
