import type { LakeReader } from "../query/query-views.js";
import { readTables } from "../query/query-views.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { ObjectEntry, ObjectStore } from "../store/object-store.js";
import { runs } from "../tables/runs.js";
import { type Amount, amountOf } from "./amount.js";
import type { UpkeepOptions } from "./table-upkeep.js";

const STAGING = "_staging/";
/** Machines' own: each engine there removes what dead ones have left. */
const SCRATCH = `${STAGING}scratch/`;

interface StagingUpkeep {
  /** What runs that have not ended, retries, calls and customers may still need, or that this version does not know. */
  readonly kept: Amount;
  readonly freed: Amount;
}

/**
 * Deletes the staging of runs whose row is in `runs` and old: a run deletes its own right after it has written that row,
 * so only a power cut or the end of its workflow leaves some. Everything else stays.
 */
export async function maintainStaging(
  lake: LakeReader,
  { before, dryRun, signal }: UpkeepOptions,
): Promise<StagingUpkeep> {
  const folders = (await lake.store.folders(STAGING)).map((name) => `${STAGING}${name}/`);
  const over = new Set((await endedRuns(lake, before)).map((id) => `${STAGING}${id}/`));
  const [kept, freed]: [ObjectEntry[], ObjectEntry[]] = [[], []];
  for (const folder of folders) {
    signal?.throwIfAborted();
    if (folder === SCRATCH) continue;
    const entries = await lake.store.list(folder);
    if (over.has(folder)) {
      freed.push(...entries);
      if (!dryRun) await deleteFolder(lake.store, folder);
    } else kept.push(...entries);
  }
  return { kept: amountOf(kept), freed: amountOf(freed) };
}

function deleteFolder(store: ObjectStore, folder: string): Promise<void> {
  return store.deletePrefix(folder, { durable: true });
}

async function endedRuns(lake: LakeReader, before: number): Promise<string[]> {
  if (!Number.isFinite(before)) return [];
  const ended = sqlText(new Date(before).toISOString());
  const rows = await readTables(lake, [runs], (sql) =>
    sql.rows(`select run_id from runs where finished_at < ${ended}::timestamptz`),
  );
  return rows.map(({ run_id }) => String(run_id));
}
