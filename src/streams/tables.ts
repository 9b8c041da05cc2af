import type { TableSpec } from "../lake/delta-schema.js";
import { linkSyncs } from "../lake/tables/link-syncs.js";
import { onboardingEvents } from "../lake/tables/onboarding-events.js";
import { onboardings } from "../lake/tables/onboardings.js";
import { quarantine } from "../lake/tables/quarantine.js";
import { runs } from "../lake/tables/runs.js";
import { transactionChanges, transactions } from "../lake/tables/transactions.js";
import { webhookEvents } from "../lake/tables/webhook-events.js";
import { accountStream } from "./accounts.js";
import { bankLinkStream } from "./bank-links.js";

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
