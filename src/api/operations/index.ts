import {
  importTransactions,
  listBankLinks,
  listInvestmentTransactions,
  listLinkAccounts,
  listUserAccounts,
  listUserTransactions,
  syncTransactions,
} from "./bank-data.js";
import { createBusiness, getBusinessInsights, updateBusiness } from "./business.js";
import {
  createOnboarding,
  getOnboarding,
  listBusinessOnboardings,
  listUserOnboardings,
  validateSession,
} from "./onboarding.js";
import type { Operation } from "./operation.js";
import { createCipReport, createClientToken, getUser } from "./user.js";
import { decryptVault, updateVault, uploadToVault } from "./vault.js";
import { callVaultProxy } from "./vault-proxy.js";
import { sendTestWebhook } from "./webhook-test.js";

export * from "./bank-data.js";
export * from "./business.js";
export * from "./onboarding.js";
export * from "./user.js";
export * from "./vault.js";
export * from "./vault-proxy.js";
export * from "./webhook-test.js";

/** In the order of docs/reference/api-operations.md. */
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
