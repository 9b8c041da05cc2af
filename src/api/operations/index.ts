import type { Operation } from "../operation.js";
import { listBankLinks } from "./bank-links.js";
import { listLinkAccounts } from "./link-accounts.js";
import { syncTransactions } from "./transaction-sync.js";
import { getUser } from "./user.js";
import { listUserAccounts } from "./user-accounts.js";
import { listUserTransactions } from "./user-transactions.js";

export { getUser, listBankLinks, listLinkAccounts, listUserAccounts, listUserTransactions, syncTransactions };

/** Every operation of the service that the client knows. */
export const OPERATIONS: readonly Operation[] = [
  getUser,
  listBankLinks,
  listLinkAccounts,
  listUserAccounts,
  listUserTransactions,
  syncTransactions,
];
