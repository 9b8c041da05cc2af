import type { Behaviour } from "../behaviour.js";
import type { Operation } from "../http/router.js";
import { BANK_DATA_OPERATIONS } from "./bank-data.js";
import { BUSINESS_OPERATIONS } from "./businesses.js";
import { createOnboarding } from "./create-onboarding.js";
import { importTransactions } from "./import-transactions.js";
import { ONBOARDING_OPERATIONS } from "./onboardings.js";
import { PROXY_AND_WEBHOOK_OPERATIONS } from "./proxy-and-webhooks.js";
import { syncTransactions } from "./sync-transactions.js";
import { USER_OPERATIONS } from "./users.js";
import { VAULT_OPERATIONS } from "./vault.js";

/** Every operation of the stand-in; a new one is an entry in the file of its part. */
export const OPERATIONS: readonly Operation[] = [
  ...USER_OPERATIONS,
  ...BANK_DATA_OPERATIONS,
  syncTransactions,
  importTransactions,
  createOnboarding,
  ...ONBOARDING_OPERATIONS,
  ...VAULT_OPERATIONS,
  ...BUSINESS_OPERATIONS,
  ...PROXY_AND_WEBHOOK_OPERATIONS,
];

/** The operations of a stand-in that behaves so. */
export function operationsOf(behaves: ReadonlySet<Behaviour>): readonly Operation[] {
  if (!behaves.has("other-segment")) return OPERATIONS;
  return OPERATIONS.map((operation) => ({
    ...operation,
    path: operation.path.replace("/brokerage/", "/acme/"),
  }));
}
