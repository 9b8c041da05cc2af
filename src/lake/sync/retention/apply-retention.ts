import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type ExpiredRows,
  RECORD_CLASSES,
  type RecordClass,
  type RetentionRules,
  yearsEarlier,
} from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CIP_TABLES } from "../../tables/cip.js";
import { transactionLinks } from "../../tables/transaction-links.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { erasableRows, eraseRows, type TableRows } from "../forget/erase-rows.js";
import { recordErased } from "../forget/record-erased.js";
import { type Expired, expiredReports } from "./expired-reports.js";
import { expiredTransactions } from "./expired-transactions.js";

const TABLES = [...CIP_TABLES, transactionChanges, transactions, transactionLinks];

/**
 * Makes what erases the rows that rules of retention end, with all earlier versions (docs/run/operate.md, "Retention"), and
 * gives what was erased, by class; with `dryRun`, what would be. Safe beside runs; killed anywhere, it does the rest later.
 */
export function applyRetention(rules: RetentionRules, now: () => number = Date.now) {
  return async (
    lake: Lake,
    { dryRun, signal }: { readonly dryRun: boolean; readonly signal?: AbortSignal },
  ): Promise<ExpiredRows[]> => {
    const today = new Date(now()).toISOString().slice(0, 10);
    const until: Record<string, string> = {};
    for (const record of RECORD_CLASSES) {
      const years = rules[record];
      if (years !== undefined) until[record] = yearsEarlier(today, years);
    }
    if (Object.keys(until).length === 0) return [];
    await lake.duckdb.makeScratch();
    const directory = join(lake.duckdb.scratchDirectory, `retention-${randomUUID()}`);
    await mkdir(directory);
    const due = { until, directory };
    try {
      const expired = { ...(await expiredReports(lake, due)), ...(await expiredTransactions(lake, due)) };
      const report: ExpiredRows[] = [];
      for (const [record, found] of Object.entries(expired) as [RecordClass, Expired][]) {
        signal?.throwIfAborted();
        const rule = `${record}: ${rules[record]}y`;
        const tables = dryRun
          ? await erasableRows(lake, TABLES, found.erasing)
          : await erased(lake, record, rule, found, signal);
        report.push({ class: record, until: until[record] as string, tables });
      }
      return report;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
}

async function erased(
  lake: Lake,
  record: RecordClass,
  rule: string,
  { erasing, before, after }: Expired,
  signal?: AbortSignal,
): Promise<TableRows[]> {
  const owner = `retention/${record}`;
  await before?.();
  for (const one of erasing) {
    signal?.throwIfAborted();
    await eraseRows(lake, { ...one, owner }, signal);
  }
  await after?.();
  const isRecorded = `state = 'expired' and reason like ${sqlText(`${record}: %`)}`;
  const row = { state: "expired", reason: rule, recorded_by: "nightledger.yaml" };
  return recordErased(lake, TABLES, { owner, isRecorded }, row);
}
