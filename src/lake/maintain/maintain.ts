import { DAY } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { type ExpiredRows, LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import { witnessedNow } from "../query/witness.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { StoreFullError } from "../store/local/local-store-errors.js";
import type { ObjectEntry } from "../store/object-store.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import {
  type Amount,
  amountOf,
  keepUpkeep,
  type LastUpkeep,
  NOTHING,
  plus,
  type Upkeep,
} from "./last-upkeep.js";
import { maintainTable, type TableUpkeep, type UpkeepOptions } from "./table-upkeep.js";

interface MaintainOptions {
  /** For removed files, and staging of ended runs. */
  readonly retainDays: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Applies rules of retention first. */
  readonly retention?: (
    lake: Lake,
    options: { readonly dryRun: boolean; readonly signal?: AbortSignal },
  ) => Promise<readonly ExpiredRows[]>;
  /** A table is done, or left alone for a reason. */
  readonly onTable?: (table: string, left?: string) => void;
}

interface LeftTable {
  readonly table: string;
  readonly why: string;
  /** Otherwise it should not be left. */
  readonly by_owner: boolean;
}

/** What was done, or would be. */
export interface MaintainReport extends LastUpkeep {
  readonly dry_run: boolean;
  readonly duration_ms: number;
  /** ISO instant; null where no run has heard the service's time. */
  readonly old_before: string | null;
  /** Live files before and after merges. */
  readonly merged: { readonly before: number; readonly after: number };
  /** Files that are not ours, which stay. */
  readonly unknown: Amount;
  readonly tables: readonly TableUpkeep[];
  readonly retention: readonly ExpiredRows[];
  /** Also the feed where retention left rows of it. */
  readonly left_alone: readonly LeftTable[];
}

/**
 * Merges small files, shortens logs, and deletes what nobody needs (docs/inside/rules.md, "Upkeep"). Safe beside runs
 * and at any kill. @throws StoreFullError once all is deleted; the signal's reason
 */
export async function maintain(
  lake: Lake,
  tables: readonly TableSpec[],
  { retainDays, dryRun = false, signal, retention, onTable }: MaintainOptions,
): Promise<MaintainReport> {
  if (!(retainDays >= LEAST_RETAINED_DAYS))
    throw new InputError(`retain: less than ${LEAST_RETAINED_DAYS} days. Nothing was deleted. Give more`);
  const started = Date.now();
  const there: TableSpec[] = [];
  const left: LeftTable[] = [];
  const leave = ({ name }: TableSpec, why: string, byOwner = false) => {
    left.push({ table: name, why, by_owner: byOwner });
    onTable?.(name, why);
  };
  const expired = (await retention?.(lake, { dryRun, ...(signal && { signal }) })) ?? [];
  for (const { unproved } of expired) if (unproved !== undefined) leave(transactionChanges, unproved);
  for (const spec of tables) {
    try {
      const snapshot = await lake.table(spec.name).writableSnapshot();
      if (snapshot.version < 0) continue;
      const ownersWhy = whyOwned(spec, snapshot);
      if (ownersWhy !== undefined) {
        leave(spec, ownersWhy, true);
        continue;
      }
      there.push(spec);
    } catch (error) {
      leave(spec, whyLeft(error));
    }
  }
  // Without `runs` nothing is old enough.
  const now = await witnessedNow(lake, started).catch((error) => void whyLeft(error));
  const before = (now ?? Number.NEGATIVE_INFINITY) - retainDays * DAY;
  let full: StoreFullError | undefined;
  const onFull = (error: StoreFullError) => {
    full ??= error;
  };
  const options = { before, dryRun, onFull, ...(signal && { signal }) };
  const done: TableUpkeep[] = [];
  for (const spec of there) {
    signal?.throwIfAborted();
    try {
      done.push(await maintainTable(lake, spec, options));
      onTable?.(spec.name);
    } catch (error) {
      leave(spec, whyLeft(error));
    }
  }
  const staging = await maintainStaging(lake, options);
  if (!dryRun && now !== undefined) await lake.store.discardTemporary("", now - DAY);
  if (full !== undefined) throw full;
  const sum = (of: (one: TableUpkeep) => Amount) => done.map(of).reduce(plus, NOTHING);
  const files = (when: "before" | "after") => done.reduce((total, { live }) => total + live[when], 0);
  const report: MaintainReport = {
    dry_run: dryRun,
    started_at: new Date(started).toISOString(),
    duration_ms: Date.now() - started,
    retain_days: retainDays,
    old_before: Number.isFinite(before) ? new Date(before).toISOString() : null,
    merged: { before: files("before"), after: files("after") },
    live: sum(({ live }) => ({ files: live.after, bytes: live.bytes })),
    old_files: { kept: sum(({ old }) => old.kept), freed: sum(({ old }) => old.freed) },
    logs: { kept: sum(({ log }) => log.kept), freed: sum(({ log }) => log.freed) },
    staging,
    unknown: plus(
      sum(({ unknown }) => unknown),
      amountOf(await lake.store.strangers()),
    ),
    tables: done,
    retention: expired,
    left_alone: left,
  };
  if (!dryRun) await keepUpkeep(lake.store, report);
  return report;
}

/** With it an owner has another tool vacuum the table. */
const OWNER_PROPERTY = "delta.deletedFileRetentionDuration";

function whyOwned({ name }: TableSpec, { metadata }: Snapshot): string | undefined {
  if (metadata?.configuration[OWNER_PROPERTY] === undefined) return undefined;
  return `Table ${name} has the property ${OWNER_PROPERTY}, so it is left to the tool of whoever set it.`;
}

/** Such as a damaged log. @throws what is no matter of one table */
function whyLeft(error: unknown): string {
  if (error instanceof InputError) return error.message;
  throw error;
}

const STAGING = "_staging/";

/** Deletes staging that a power cut or the end of a workflow left. */
async function maintainStaging(lake: LakeReader, { before, dryRun, signal }: UpkeepOptions): Promise<Upkeep> {
  const folders = (await lake.store.folders(STAGING)).map((name) => `${STAGING}${name}/`);
  const over = new Set((await endedRuns(lake, before)).map((id) => `${STAGING}${id}/`));
  const [kept, freed]: [ObjectEntry[], ObjectEntry[]] = [[], []];
  for (const folder of folders) {
    signal?.throwIfAborted();
    const entries = await lake.store.list(folder);
    if (over.has(folder)) {
      freed.push(...entries);
      if (!dryRun) await lake.store.deletePrefix(folder, { durable: true });
    } else kept.push(...entries);
  }
  return { kept: amountOf(kept), freed: amountOf(freed) };
}

async function endedRuns(lake: LakeReader, before: number): Promise<string[]> {
  if (!Number.isFinite(before)) return [];
  const ended = sqlText(new Date(before).toISOString());
  const rows = await readTables(lake, [runs], (sql) =>
    sql.rows(`select run_id from runs where finished_at < ${ended}::timestamptz`),
  );
  return rows.map(({ run_id }) => String(run_id));
}
