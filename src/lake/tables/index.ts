import { accountStream } from "../../streams/accounts.js";
import { bankLinkStream } from "../../streams/bank-links.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { linkSyncs } from "./link-syncs.js";
import { onboardingEvents } from "./onboarding-events.js";
import { onboardings } from "./onboardings.js";
import { quarantine } from "./quarantine.js";
import { runs } from "./runs.js";
import { transactionChanges, transactions } from "./transactions.js";
import { webhookEvents } from "./webhook-events.js";

/** Every table of a lake; a new one is one line more. */
export const TABLES: readonly TableSpec[] = [
  accountStream.table,
  bankLinkStream.table,
  linkSyncs,
  onboardingEvents,
  onboardings,
  quarantine,
  runs,
  transactionChanges,
  transactions,
  webhookEvents,
];
