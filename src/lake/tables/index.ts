import type { TableSpec } from "../delta/delta-schema.js";
import { accounts } from "./accounts.js";
import { bankLinks } from "./bank-links.js";
import { linkSyncs } from "./link-syncs.js";
import { onboardingEvents } from "./onboarding-events.js";
import { onboardings } from "./onboardings.js";
import { quarantine } from "./quarantine.js";
import { runs } from "./runs.js";
import { transactionChanges, transactions } from "./transactions.js";
import { webhookEvents } from "./webhook-events.js";

/** Every table of a lake; a new one is one line more. */
export const TABLES: readonly TableSpec[] = [
  accounts,
  bankLinks,
  linkSyncs,
  onboardingEvents,
  onboardings,
  quarantine,
  runs,
  transactionChanges,
  transactions,
  webhookEvents,
];
