import * as api from "../../../src/api/operations/index.js";
import type { RuleRow } from "./rule-table.js";

const FP = { fp_id: "fp_1" };
const LINK = { link_id: "link_1" };
const list = (query: object) => ({ path: LINK, query });
const imported = (row: object) => ({
  path: LINK,
  body: { transactions: [{ account_id: "acc_link_1_1", amount: "1.00", date: "2026-01-02", ...row }] },
});

/** Rules of bank data, and of ids in paths, each broken once. */
export const BANK_RULES: readonly RuleRow[] = [
  [api.listInvestmentTransactions, list({ size: 101 }), /size: more than 100/],
  [api.listInvestmentTransactions, list({ size: 0 }), /size: not positive/],
  [api.listInvestmentTransactions, list({ page: 0 }), /page: not positive/],
  [api.listInvestmentTransactions, list({ start_date: "2026-02-29" }), /start_date: not a day/],
  [api.listInvestmentTransactions, list({ end_date: "21.11.2026" }), /end_date: not a day/],
  [api.listUserTransactions, { path: FP, query: { size: 101 } }, /size: more than 100/],
  [api.listUserTransactions, { path: FP, query: { page: 0 } }, /page: not positive/],
  [api.listUserTransactions, { path: FP, query: { start_date: "2026-1-1" } }, /start_date: not a day/],
  [api.listUserTransactions, { path: FP, query: { end_date: "2026-04-31" } }, /end_date: not a day/],
  [
    api.listUserTransactions,
    { path: FP, query: { account_ids: ["a", ""] } },
    /account_ids.1: empty or with a comma/,
  ],
  [api.listInvestmentTransactions, list({ account_ids: "" }), /account_ids: not a list/],
  [api.syncTransactions, list({ size: 0 }), /size: not positive/],
  [api.syncTransactions, list({ size: 1.5 }), /size: not an integer/],
  [api.getUser, { path: { fp_id: "a/b" } }, /fp_id: has a slash/, "encoded, it is an id like any"],
  [api.getOnboarding, { path: { id: "" } }, /id: is empty/, "it is another path then"],
  [api.syncTransactions, list({ cursor: "" }), /cursor: empty/],
  [api.listBankLinks, { path: FP, query: { page: 1 } }, /page: not known/],
  [api.importTransactions, imported({ account_id: undefined }), /transactions.0.account_id: not text/],
  [api.importTransactions, imported({ amount: 1 }), /transactions.0.amount: not text/],
  [api.importTransactions, imported({ amount: "1e3" }), /transactions.0.amount: not a decimal/],
  [api.importTransactions, imported({ date: "2026-13-01" }), /transactions.0.date: not an ISO/],
  [api.importTransactions, imported({ description: 1 }), /transactions.0.description: not text/],
  [api.importTransactions, imported({ transaction_id: "" }), /transactions.0.transaction_id: blank/],
  [api.importTransactions, imported({ transaction_type: 1 }), /transactions.0.transaction_type: not text/],
  [api.importTransactions, imported({ currency: "USD" }), /currency: not known/],
  [api.importTransactions, { path: LINK, body: {} }, /transactions: not a list/],
  [
    api.importTransactions,
    { path: LINK, body: { transactions: [] } },
    /transactions: empty/,
    "an empty import does nothing",
  ],
];
