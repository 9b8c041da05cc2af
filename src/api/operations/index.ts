import { listLinkAccounts, listUserAccounts } from "./bank-accounts.js";
import { listBankLinks } from "./bank-links.js";
import { createBusiness, updateBusiness } from "./business.js";
import { getBusinessInsights } from "./business-insights.js";
import { createCipReport } from "./cip-report.js";
import { createClientToken } from "./client-token.js";
import { listInvestmentTransactions } from "./investment-transactions.js";
import { getOnboarding } from "./onboarding.js";
import { createOnboarding } from "./onboarding-creation.js";
import { listBusinessOnboardings, listUserOnboardings } from "./onboarding-lists.js";
import type { Operation } from "./operation.js";
import { validateSession } from "./session.js";
import { importTransactions } from "./transaction-import.js";
import { syncTransactions } from "./transaction-sync.js";
import { getUser } from "./user.js";
import { listUserTransactions } from "./user-transactions.js";
import { decryptVault } from "./vault-decryption.js";
import { callVaultProxy } from "./vault-proxy.js";
import { updateVault } from "./vault-update.js";
import { uploadToVault } from "./vault-upload.js";
import { sendTestWebhook } from "./webhook-test.js";

export {
  callVaultProxy,
  createBusiness,
  createCipReport,
  createClientToken,
  createOnboarding,
  decryptVault,
  getBusinessInsights,
  getOnboarding,
  getUser,
  importTransactions,
  listBankLinks,
  listBusinessOnboardings,
  listInvestmentTransactions,
  listLinkAccounts,
  listUserAccounts,
  listUserOnboardings,
  listUserTransactions,
  sendTestWebhook,
  syncTransactions,
  updateBusiness,
  updateVault,
  uploadToVault,
  validateSession,
};

/** Every operation of the service, in the order of docs/reference/api-operations.md. */
export const OPERATIONS: readonly Operation[] = [
  createOnboarding,
  listUserOnboardings,
  listBusinessOnboardings,
  getOnboarding,
  validateSession,
  createClientToken,
  decryptVault,
  updateVault,
  uploadToVault,
  createCipReport,
  getUser,
  createBusiness,
  updateBusiness,
  getBusinessInsights,
  listBankLinks,
  listUserAccounts,
  listLinkAccounts,
  listUserTransactions,
  listInvestmentTransactions,
  syncTransactions,
  importTransactions,
  callVaultProxy,
  sendTestWebhook,
];
