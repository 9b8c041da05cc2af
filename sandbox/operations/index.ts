import type { Operation } from "../http/router.js";
import { callVaultProxy } from "./call-vault-proxy.js";
import { createBusiness } from "./create-business.js";
import { createCipReport } from "./create-cip-report.js";
import { createClientToken } from "./create-client-token.js";
import { createOnboarding } from "./create-onboarding.js";
import { decryptVault } from "./decrypt-vault.js";
import { getBusinessInsights } from "./get-business-insights.js";
import { getOnboarding } from "./get-onboarding.js";
import { getUser } from "./get-user.js";
import { importTransactions } from "./import-transactions.js";
import { listBankLinks } from "./list-bank-links.js";
import { listBusinessOnboardings } from "./list-business-onboardings.js";
import { listInvestmentTransactions } from "./list-investment-transactions.js";
import { listLinkAccounts } from "./list-link-accounts.js";
import { listUserAccounts } from "./list-user-accounts.js";
import { listUserOnboardings } from "./list-user-onboardings.js";
import { listUserTransactions } from "./list-user-transactions.js";
import { sendTestWebhook } from "./send-test-webhook.js";
import { syncTransactions } from "./sync-transactions.js";
import { updateBusiness } from "./update-business.js";
import { updateVault } from "./update-vault.js";
import { uploadToVault } from "./upload-to-vault.js";
import { validateSession } from "./validate-session.js";

/** Every operation of the stand-in; a new one is its file and its line here. */
export const OPERATIONS: readonly Operation[] = [
  getUser,
  listBankLinks,
  listUserAccounts,
  listLinkAccounts,
  syncTransactions,
  listUserTransactions,
  listInvestmentTransactions,
  importTransactions,
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
  createBusiness,
  updateBusiness,
  getBusinessInsights,
  callVaultProxy,
  sendTestWebhook,
];
