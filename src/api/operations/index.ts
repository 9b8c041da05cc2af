import {
  listBankLinks,
  listInvestmentTransactions,
  listLinkAccounts,
  listUserAccounts,
  listUserTransactions,
} from "./bank-data.js";
import { createBusiness, getBusinessInsights, updateBusiness } from "./business.js";
import {
  getOnboarding,
  listBusinessOnboardings,
  listUserOnboardings,
  validateSession,
} from "./onboarding.js";
import { createOnboarding } from "./onboarding-creation.js";
import type { Operation } from "./operation.js";
import { importTransactions } from "./transaction-import.js";
import { syncTransactions } from "./transaction-sync.js";
import { createCipReport, createClientToken, getUser } from "./user.js";
import { decryptVault, updateVault, uploadToVault } from "./vault.js";
import { callVaultProxy } from "./vault-proxy.js";
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
