import type { TableSpec } from "../lake/delta-schema.js";
import { linkSyncs } from "../lake/tables/link-syncs.js";
import { quarantine } from "../lake/tables/quarantine.js";
import { runs } from "../lake/tables/runs.js";
import { transactionChanges, transactions } from "../lake/tables/transactions.js";
import { accountStream } from "./accounts.js";
import { bankLinkStream } from "./bank-links.js";

/** Every table of a lake; a new one is one line more. */
export const TABLES: readonly TableSpec[] = [
  accountStream.table,
  bankLinkStream.table,
  linkSyncs,
  quarantine,
  runs,
  transactionChanges,
  transactions,
];
