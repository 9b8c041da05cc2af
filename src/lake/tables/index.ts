import type { TableSpec } from "../delta/delta-schema.js";
import { reconciliations, transactionImports, vaultValues, vaultWrites } from "./bulk.js";
import { CIP_TABLES } from "./cip.js";
import { erasures, holds, purges } from "./erasures.js";
import { KYB_TABLES } from "./kyb.js";
import { linkSyncs } from "./link-syncs.js";
import { onboardingEvents, onboardings } from "./onboardings.js";
import { quarantine, quarantineResolutions } from "./quarantine.js";
import { runFailures, runs } from "./runs.js";
import { transactionChanges, transactions } from "./transactions.js";
import { webhookEvents } from "./webhook-events.js";

/** Tables of no single stream. */
export const LAKE_TABLES: readonly TableSpec[] = [
  ...CIP_TABLES,
  erasures,
  holds,
  purges,
  ...KYB_TABLES,
  linkSyncs,
  onboardingEvents,
  onboardings,
  quarantine,
  quarantineResolutions,
  reconciliations,
  runFailures,
  runs,
  transactionChanges,
  transactionImports,
  transactions,
  vaultValues,
  vaultWrites,
  webhookEvents,
];
