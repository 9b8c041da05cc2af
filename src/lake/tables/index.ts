import type { TableSpec } from "../delta/delta-schema.js";
import { alerts } from "./alerts.js";
import { CIP_TABLES } from "./cip.js";
import { linkSyncs } from "./link-syncs.js";
import { onboardingEvents, onboardings } from "./onboardings.js";
import { quarantine, quarantineResolutions } from "./quarantine.js";
import { runFailures, runs } from "./runs.js";
import { transactionImports } from "./transaction-imports.js";
import { transactionChanges, transactions } from "./transactions.js";
import { webhookEvents } from "./webhook-events.js";

/** Every table that belongs to no single stream; a new one takes one more line. */
export const LAKE_TABLES: readonly TableSpec[] = [
  alerts,
  ...CIP_TABLES,
  linkSyncs,
  onboardingEvents,
  onboardings,
  quarantine,
  quarantineResolutions,
  runFailures,
  runs,
  transactionChanges,
  transactionImports,
  transactions,
  webhookEvents,
];
