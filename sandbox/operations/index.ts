import type { Operation } from "../router.js";
import { getUser } from "./get-user.js";
import { listBankLinks } from "./list-bank-links.js";
import { listLinkAccounts } from "./list-link-accounts.js";
import { listLinkedBankAccounts } from "./list-linked-bank-accounts.js";
import { listLinkedBankTransactions } from "./list-linked-bank-transactions.js";
import { syncTransactions } from "./sync-transactions.js";

/** Every operation of the stand-in; a new one is its file and its line here. */
export const OPERATIONS: readonly Operation[] = [
  getUser,
  listBankLinks,
  listLinkedBankAccounts,
  listLinkAccounts,
  syncTransactions,
  listLinkedBankTransactions,
];
