import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type ExpiredRows,
  RECORD_CLASSES,
  type RecordClass,
  type RetentionRules,
  yearsEarlier,
} from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { writtenDay } from "../../maintain/table-upkeep.js";
import { materialize } from "../../materialize/materialize.js";
import { readTables } from "../../query/query-views.js";
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

/**
 * Makes what erases the rows that rules of retention end, with all earlier versions (docs/run/operate.md, "Retention"), and
 * gives what was erased, by class; with `dryRun`, what would be. Safe beside runs; killed anywhere, it does the rest later.
 */
export function applyRetention(rules: RetentionRules, now: () => number = Date.now) {
  return async (
    lake: Lake,
    { dryRun, signal }: { readonly dryRun: boolean; readonly signal?: AbortSignal },
  ): Promise<ExpiredRows[]> => {
    const ends = await endsOf(lake, rules, now());
    if (Object.keys(ends).length === 0) return [];
    await lake.duckdb.makeScratch();
    const directory = join(lake.duckdb.scratchDirectory, `retention-${randomUUID()}`);
    await mkdir(directory);
    const due = { ends, directory };
    try {
      const expired = { ...(await expiredReports(lake, due)), ...(await expiredTransactions(lake, due)) };
      const report: ExpiredRows[] = [];
      for (const [record, found] of Object.entries(expired) as [RecordClass, Expired][]) {
        signal?.throwIfAborted();
        const rule = `${record}: ${rules[record]}y`;
        const tables = dryRun
          ? await erasableRows(lake, TABLES, found.erasing)
          : await erased(lake, record, rule, found, signal);
        const { until, by_clock } = ends[record] as End;
        const { unproved, waits } = found;
        report.push({
          ...{ class: record, until, tables },
          ...(waits && { by_clock }),
          ...(unproved && { unproved }),
        });
      }
      return report;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
}

/** Until which day records of a class have been kept long enough. */
interface End {
  /** By the days on which the lake was written; null while it was on none. */
  readonly until: string | null;
  readonly by_clock: string;
}

type Ends = { readonly [record in RecordClass]?: End };

/** The newest day on which the lake was written may be one that a wrong clock has made: the one before it counts, if there is one. */
const NEWEST_DAYS = [2, 1];

/** A clock that jumps ahead ends nothing: what it erased would be lost for good. */
async function endsOf(lake: Lake, rules: RetentionRules, now: number): Promise<Ends> {
  const classes = RECORD_CLASSES.filter((record) => rules[record] !== undefined);
  if (classes.length === 0) return {};
  const snapshots = await Promise.all([...TABLES, runs].map(({ name }) => lake.table(name).snapshot()));
  const days = NEWEST_DAYS.map((count) => writtenDay(snapshots, count, now));
  const written = Math.min(days.find(Number.isFinite) ?? Number.NEGATIVE_INFINITY, now);
  const ends = classes.map((record): [RecordClass, End] => {
    const untilBy = (today: number) =>
      yearsEarlier(new Date(today).toISOString().slice(0, 10), rules[record] as number);
    const until = Number.isFinite(written) ? untilBy(written) : null;
    return [record, { until, by_clock: untilBy(now) }];
  });
  return Object.fromEntries(ends);
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

/** Rows of one class whose time is over. */
export interface Expired {
  readonly erasing: readonly (Omit<Erasing, "owner"> & {
    /** Writes down what the rows prove, before they go. */
    readonly before?: () => Promise<void>;
  })[];
  /** Takes out the rows of users who came under a hold since they were found. */
  readonly hold: () => Promise<unknown>;
  /** Makes again what was made of the rows. */
  readonly after?: () => Promise<void>;
  /** Why rows stay although their time is over. */
  readonly unproved?: string | undefined;
  /** Whether more would go by the clock. */
  readonly waits?: boolean;
}

/** What rules are applied to: until which day records have been kept long enough, and a directory for files. */
export interface Due {
  readonly ends: Ends;
  readonly directory: string;
}

/** Identifying information: name, address, birth date, identification number, and from where the customer came. */
const IDENTITY = [
  ...["checked_data_customer_name", "checked_data_address"],
  ...["checked_data_date_of_birth", "checked_data_tax_id", "ip_address"],
];
/** What is left of a row stays as long as the row: `other_fields` may be of either class. */
const RESULTS = cipReports.columns
  .map(({ name }): string => name)
  .filter((name) => !IDENTITY.includes(name) && !OWN_CIP_COLUMNS.includes(name));

/**
 * Finds the reports of CIP exports of which the time of a class is over: of identifying information some years after the
 * account was closed, as the newest report says, of results after they were made. Of both, the row goes as a whole.
 */
export async function expiredReports(
  lake: Lake,
  { ends, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  const [identity, results] = [ends["cip-identity"], ends["cip-results"]];
  if (identity === undefined && results === undefined) return {};
  const file = join(directory, "reports.parquet");
  const [closed, made] = ["newest.account_closed_on", "cip_reports.asked_at::date"];
  const [waiting] = await readTables(lake, [cipReports, holds], async (sql) => {
    await sql.run(`copy (
      select cip_reports.run_id, fp_id,
        ${isOver(closed, identity?.until)} as identity, ${isOver(made, results?.until)} as results,
        ${isOver(closed, identity?.by_clock)} and not identity as identity_waits,
        ${isOver(made, results?.by_clock)} and not results as results_wait
      from cip_reports join (${NEWEST_CIP_REPORTS}) newest using (fp_id)
      where fp_id not in (${HELD})
    ) to ${sqlText(file)} (format parquet)`);
    return sql.few(
      `select bool_or(identity_waits) as identity, bool_or(results_wait) as results from ${parquetFiles([file])}`,
    );
  });
  const within = (condition: string) =>
    `(run_id, fp_id) in (select (run_id, fp_id) from ${parquetFiles([file])} where ${condition})`;
  const ofIdentity = { spec: cipReports, condition: within("identity and not results"), blank: IDENTITY };
  const ofResults = { spec: cipReports, condition: within("results and not identity"), blank: RESULTS };
  // Reports are last: from their rows a call that follows a killed one knows those of the other tables.
  const whole = CIP_TABLES.toReversed().map((spec) => ({
    spec,
    condition: within(spec === cipReports ? "results and identity" : "results"),
  }));
  const hold = () => withoutHeld(lake, file, "fp_id");
  return {
    ...(identity && { "cip-identity": { erasing: [ofIdentity], hold, waits: waiting?.identity === true } }),
    ...(results && {
      "cip-results": { erasing: [...whole, ofResults], hold, waits: waiting?.results === true },
    }),
  };
}

function isOver(day: string, end: string | null | undefined): string {
  return end == null ? "false" : `coalesce(${day} <= ${sqlText(end)}::date, false)`;
}

const TRANSACTION = "link_id, transaction_id";

/**
 * Finds the transactions whose last day is over: all changes of one go together, by the last day that any of them gives, or by
 * the removal of one without a day. Certificates keep what they say; `purges` proves the rest of their rows.
 */
export async function expiredTransactions(
  lake: Lake,
  { ends: { transactions: end }, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  if (end === undefined) return {};
  const file = join(directory, "transactions.parquet");
  const waits = await readTables(lake, [transactionChanges, cipReports, holds], async (sql) => {
    const [old] = await sql.few(
      `select 1 from transaction_changes where ${isOver("coalesce(date, fetched_at::date)", end.by_clock)} limit 1`,
    );
    await sql.run(`create temp table ended as
      select link_id, transaction_id, coalesce(max(date), max(fetched_at)::date) as day
      from (select *, fp_id in (${HELD}) as held from transaction_changes)
      where ${old !== undefined} group by link_id, transaction_id
      having bool_and(held is not true) and ${isOver("day", end.by_clock)}`);
    await sql.run(`copy (
      select distinct link_id, transaction_id, run_id, fp_id from transaction_changes
        semi join (from ended where ${isOver("day", end.until)}) using (link_id, transaction_id)
    ) to ${sqlText(file)} (format parquet)`);
    return (await sql.few(`select 1 from ended where not ${isOver("day", end.until)} limit 1`)).length > 0;
  });
  const expired = parquetFiles([file]);
  const isAny = async () =>
    (await lake.duckdb.exclusive((sql) => sql.few(`select 1 from ${expired} limit 1`))).length > 0;
  // All changes of a transaction stay, or it would be as an earlier one of them says.
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
  if (!(await isAny())) return { transactions: { erasing: [], hold, unproved, waits } };
  return {
    transactions: {
      // The feed is last: from it the others are known, if this is cut short.
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
      ...{ unproved, waits },
    },
  };
}

/** Takes the rows of those under a hold out of a file of rows that go; whether there were any. */
async function withoutHeld(lake: Lake, file: string, key: string): Promise<boolean> {
  return readTables(lake, [cipReports, holds], async (sql) => {
    const isHeld = `fp_id in (${HELD})`;
    const found = await sql.few(`select 1 from ${parquetFiles([file])} where ${isHeld} limit 1`);
    if (found.length > 0) await keepOut(sql, file, key, isHeld);
    return found.length > 0;
  });
}

/** Takes rows out of a file of rows that go: all that have the key of one of which the condition holds. */
async function keepOut(sql: SqlSession, file: string, key: string, condition: string): Promise<void> {
  const rows = parquetFiles([file]);
  const left = `${file}.left`;
  await sql.run(`copy (
    from ${rows} anti join (select ${key} from ${rows} where ${condition}) using (${key})
  ) to ${sqlText(left)} (format parquet)`);
  await rename(left, file);
}
