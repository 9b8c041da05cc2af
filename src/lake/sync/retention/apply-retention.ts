import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY } from "../../../domain/duration.js";
import {
  type ExpiredRows,
  RECORD_CLASSES,
  type RecordClass,
  type RetentionRules,
  yearsEarlier,
} from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { materialize } from "../../materialize/materialize.js";
import { readTables } from "../../query/query-views.js";
import { witnessedNow } from "../../query/witness.js";
import { parquetFiles } from "../../sql/duckdb-files.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CIP_TABLES, cipReports, NEWEST_CIP_REPORTS, OWN_CIP_COLUMNS } from "../../tables/cip.js";
import { holds } from "../../tables/erasures.js";
import { runs } from "../../tables/runs.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import {
  type Erasing,
  erasableRows,
  eraseRows,
  haveRebuilt,
  recordErased,
  type TableRows,
} from "../forget/erase-rows.js";
import { HELD } from "../forget/holds.js";
import { keepProofs, leaveUnproved } from "./purge-proofs.js";

const TABLES = [...CIP_TABLES, transactionChanges, transactions];

/** Time to notice a wrong date. */
const KNOWN_FOR = 90 * DAY;

/**
 * Makes what erases the rows that rules end, with all earlier versions (docs/run/operate.md, "Retention"); with `dryRun`,
 * what would be. Safe beside runs; killed anywhere, it does the rest later.
 */
export function applyRetention(rules: RetentionRules, now: () => number = Date.now) {
  return async (
    lake: Lake,
    { dryRun, signal }: { readonly dryRun: boolean; readonly signal?: AbortSignal },
  ): Promise<ExpiredRows[]> => {
    const classes = RECORD_CLASSES.filter((record) => rules[record] !== undefined);
    if (classes.length === 0) return [];
    const today = await witnessedNow(lake, now());
    const ends = Object.fromEntries(
      classes.map((record) => [record, today === undefined ? null : endOf(today, rules[record] as number)]),
    );
    await lake.duckdb.makeScratch();
    const directory = join(lake.duckdb.scratchDirectory, `retention-${randomUUID()}`);
    await mkdir(directory);
    const due = { ends, directory, knownUntil: (today ?? 0) - KNOWN_FOR };
    try {
      const expired = { ...(await expiredReports(lake, due)), ...(await expiredTransactions(lake, due)) };
      const report: ExpiredRows[] = [];
      for (const [record, found] of Object.entries(expired) as [RecordClass, Expired][]) {
        signal?.throwIfAborted();
        const rule = `${record}: ${rules[record]}y`;
        const tables = dryRun
          ? await erasableRows(lake, TABLES, found.erasing)
          : await erased(lake, record, rule, found, signal);
        const { unproved } = found;
        report.push({ class: record, until: ends[record] ?? null, tables, ...(unproved && { unproved }) });
      }
      return report;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
}

function endOf(today: number, years: number): string {
  return yearsEarlier(new Date(today).toISOString().slice(0, 10), years);
}

async function erased(
  lake: Lake,
  record: RecordClass,
  rule: string,
  { erasing, hold, after }: Expired,
  signal?: AbortSignal,
): Promise<TableRows[]> {
  const owner = `retention/${record}`;
  for (const { before, ...one } of erasing) {
    signal?.throwIfAborted();
    await hold();
    await before?.();
    await eraseRows(lake, { ...one, owner }, signal);
  }
  await after?.();
  const isRecorded = `state = 'expired' and reason like ${sqlText(`${record}: %`)}`;
  const row = { state: "expired", reason: rule, recorded_by: "nightledger.yaml" };
  return recordErased(lake, TABLES, { owner, isRecorded }, row);
}

/** Their time is over. */
interface Expired {
  readonly erasing: readonly (Omit<Erasing, "owner"> & {
    /** Before they go. */
    readonly before?: () => Promise<void>;
  })[];
  /** Takes out users who came under a hold since. */
  readonly hold: () => Promise<unknown>;
  readonly after?: () => Promise<void>;
  readonly unproved?: string | undefined;
}

interface Due {
  /** By class, the last day whose records may go; null where nobody knows what day it is. */
  readonly ends: { readonly [record in RecordClass]?: string | null };
  /** Rows that came later stay. */
  readonly knownUntil: number;
  readonly directory: string;
}

const IDENTITY = [
  ...["checked_data_customer_name", "checked_data_address"],
  ...["checked_data_date_of_birth", "checked_data_tax_id", "ip_address"],
];
/** It stays as long as the row: `other_fields` may be of either class. */
const RESULTS = cipReports.columns
  .map(({ name }): string => name)
  .filter((name) => !IDENTITY.includes(name) && !OWN_CIP_COLUMNS.includes(name));

/**
 * Identifying information goes some years after the account was closed, as the newest report has it, results some years
 * after they were made. Of both, the row goes as a whole.
 */
async function expiredReports(
  lake: Lake,
  { ends, knownUntil, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  const [identity, results] = [ends["cip-identity"], ends["cip-results"]];
  if (identity === undefined && results === undefined) return {};
  const file = join(directory, "reports.parquet");
  const [closed, made] = ["newest.account_closed_on", "cip_reports.asked_at::date"];
  await readTables(lake, [cipReports, holds, runs], (sql) =>
    sql.run(`copy (
      select cip_reports.run_id, fp_id,
        ${isOver(closed, identity)} as identity, ${isOver(made, results)} as results
      from cip_reports join (${NEWEST_CIP_REPORTS}) newest using (fp_id)
      where fp_id not in (${HELD}) and ${isKnown("cip_reports", "asked_at", knownUntil)}
    ) to ${sqlText(file)} (format parquet)`),
  );
  const within = (condition: string) =>
    `(run_id, fp_id) in (select (run_id, fp_id) from ${parquetFiles([file])} where ${condition})`;
  const ofIdentity = { spec: cipReports, condition: within("identity and not results"), blank: IDENTITY };
  const ofResults = { spec: cipReports, condition: within("results and not identity"), blank: RESULTS };
  // Reports are last: from their rows a later call knows those of the other tables.
  const whole = CIP_TABLES.toReversed().map((spec) => ({
    spec,
    condition: within(spec === cipReports ? "results and identity" : "results"),
  }));
  const hold = () => withoutHeld(lake, file, "fp_id");
  return {
    ...(identity !== undefined && { "cip-identity": { erasing: [ofIdentity], hold } }),
    ...(results !== undefined && { "cip-results": { erasing: [...whole, ofResults], hold } }),
  };
}

function isOver(day: string, end: string | null | undefined): string {
  return end == null ? "false" : `coalesce(${day} <= ${sqlText(end)}::date, false)`;
}

/** By its run's `service_time` and by its own date, unless that is still to come. */
function isKnown(table: string, at: string, until: number): string {
  const heard = `select max(service_time) from runs where runs.run_id = ${table}.run_id`;
  const today = `make_timestamptz(${(until + KNOWN_FOR) * 1_000})`;
  const since = `greatest((${heard}), case when ${table}.${at} <= ${today} then ${table}.${at} end)`;
  return `coalesce(${since} <= make_timestamptz(${until * 1_000}), false)`;
}

const TRANSACTION = "link_id, transaction_id";

/**
 * All changes of a transaction go together, by the last day that any of them gives, or by the removal of one without a day.
 * `purges` proves the rest of their certificates' rows.
 */
async function expiredTransactions(
  lake: Lake,
  { ends: { transactions: end }, knownUntil, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  if (end === undefined) return {};
  const file = join(directory, "transactions.parquet");
  await readTables(lake, [transactionChanges, cipReports, holds, runs], async (sql) => {
    const [old] = await sql.rowsAtOnce(
      `select 1 from transaction_changes where ${isOver("coalesce(date, fetched_at::date)", end)} limit 1`,
    );
    await sql.run(`copy (
      select distinct link_id, transaction_id, run_id, fp_id from transaction_changes semi join (
        select link_id, transaction_id
        from (select *, fp_id in (${HELD}) as held,
          ${isKnown("transaction_changes", "fetched_at", knownUntil)} as known from transaction_changes)
        where ${old !== undefined} group by link_id, transaction_id
        having bool_and(held is not true and known)
          and ${isOver("coalesce(max(date), max(fetched_at)::date)", end)}
      ) using (link_id, transaction_id)
    ) to ${sqlText(file)} (format parquet)`);
  });
  const expired = parquetFiles([file]);
  const isAny = async () =>
    (await lake.duckdb.exclusive((sql) => sql.rowsAtOnce(`select 1 from ${expired} limit 1`))).length > 0;
  // Or it would be as an earlier one of them has it.
  const keep = (sql: SqlSession, condition: string) => keepOut(sql, file, TRANSACTION, condition);
  const unproved = (await isAny()) ? await leaveUnproved(lake, expired, keep) : undefined;
  const within = (columns: string) => `(${columns}) in (select (${columns}) from ${expired})`;
  const rows = within("link_id, transaction_id, run_id");
  let isRebuilt = false;
  const hold = async () => {
    if (!(await withoutHeld(lake, file, TRANSACTION))) return;
    // It may have lost rows that the feed now keeps.
    await haveRebuilt(lake, transactions);
    isRebuilt = true;
  };
  if (!(await isAny())) return { transactions: { erasing: [], hold, unproved } };
  return {
    transactions: {
      // The feed is last: from it the others are known.
      erasing: [
        { spec: transactions, condition: rows },
        {
          ...{ spec: transactionChanges, condition: rows },
          before: () => keepProofs(lake, `${within("link_id, run_id")} and not ${rows}`, expired),
        },
      ],
      hold,
      after: async () => {
        if (isRebuilt) await materialize(lake);
      },
      unproved,
    },
  };
}

/** Whether there were any. */
async function withoutHeld(lake: Lake, file: string, key: string): Promise<boolean> {
  return readTables(lake, [cipReports, holds], async (sql) => {
    const isHeld = `fp_id in (${HELD})`;
    const found = await sql.rowsAtOnce(`select 1 from ${parquetFiles([file])} where ${isHeld} limit 1`);
    if (found.length > 0) await keepOut(sql, file, key, isHeld);
    return found.length > 0;
  });
}

/** With all rows of the same key. */
async function keepOut(sql: SqlSession, file: string, key: string, condition: string): Promise<void> {
  const rows = parquetFiles([file]);
  const left = `${file}.left`;
  await sql.run(`copy (
    from ${rows} anti join (select ${key} from ${rows} where ${condition}) using (${key})
  ) to ${sqlText(left)} (format parquet)`);
  await rename(left, file);
}
