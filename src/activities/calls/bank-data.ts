import { listBankLinks } from "../../api/operations/bank-links.js";
import { listInvestmentTransactions } from "../../api/operations/investment-transactions.js";
import { listLinkAccounts } from "../../api/operations/link-accounts.js";
import { importTransactions } from "../../api/operations/transaction-import.js";
import { syncTransactions } from "../../api/operations/transaction-sync.js";
import { listUserAccounts } from "../../api/operations/user-accounts.js";
import { listUserTransactions } from "../../api/operations/user-transactions.js";
import { callPart, shapedCallPart } from "./call-part.js";
import { findImported, type ImportedRows } from "./import-settlement.js";

const accountsOf = ({ accounts }: { accounts: readonly unknown[] }) => ({ rows: accounts.length });

/** The operations of docs/service.md, "Bank data", as activities; a list or a sync is one page of it. */
export const bankDataCalls = {
  listBankLinks: callPart({ operation: listBankLinks, facts: ({ links }) => ({ rows: links.length }) }),
  listUserAccounts: callPart({ operation: listUserAccounts, facts: accountsOf }),
  listLinkAccounts: callPart({ operation: listLinkAccounts, facts: accountsOf }),
  listUserTransactions: callPart({
    operation: listUserTransactions,
    facts: ({ page, total, transactions }) => ({ page, total, rows: transactions.length }),
  }),
  listInvestmentTransactions: callPart({
    operation: listInvestmentTransactions,
    facts: ({ page, total, investment_transactions, securities }) => ({
      page,
      total,
      rows: investment_transactions.length,
      securities: securities.length,
    }),
  }),
  syncTransactions: callPart({
    operation: syncTransactions,
    facts: ({ has_more, transactions: { created, updated, removed } }) => ({
      has_more,
      created: created.length,
      updated: updated.length,
      removed: removed.length,
    }),
  }),
  importTransactions: shapedCallPart({
    operation: importTransactions,
    settle: ({ deps, run }, params) => ({ rule: "lookup", find: () => findImported(deps, params, run) }),
    send: async ({ deps }, params, options): Promise<ImportedRows> => {
      await deps.api.read(importTransactions, params, options);
      return { sent: params.body.transactions.length, found: 0, unknown: [] };
    },
    facts: ({ sent, found, unknown }) => ({ sent, found, unknown: unknown.length }),
  }),
};
