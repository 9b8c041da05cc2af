import * as bankData from "./bank-data.js";
import * as business from "./business.js";
import * as onboarding from "./onboarding.js";
import type { Operation } from "./operation.js";
import * as user from "./user.js";
import * as vault from "./vault.js";
import * as vaultProxy from "./vault-proxy.js";
import * as webhookTest from "./webhook-test.js";

export * from "./bank-data.js";
export * from "./business.js";
export * from "./onboarding.js";
export * from "./user.js";
export * from "./vault.js";
export * from "./vault-proxy.js";
export * from "./webhook-test.js";

/** In the order of docs/reference/api-operations.md. */
export const OPERATIONS: readonly Operation[] = [
  onboarding,
  user,
  vault,
  business,
  bankData,
  vaultProxy,
  webhookTest,
].flatMap((part) => Object.values<Operation>(part));
