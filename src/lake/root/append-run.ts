import { hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { localFiles } from "../delta/data-files.js";
import { commitKey } from "../delta/delta-path.js";
import { filesOfRun } from "../history/rows-of-run.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { appendDecided } from "../tables/append.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { writeRows } from "../tables/parquet-file.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import {
  checkpointsSha256,
  knownRoot,
  LinesSha256,
  rootOf,
  rootText,
  rootTxn,
  rowSha256,
} from "./lake-root.js";

type RunRow = Readonly<Record<string, unknown>>;
type LakeState = Awaited<ReturnType<typeof lakeState>>;

/**
 * Appends a run's row with the lake's root, once, and gives the root: of the state before the row, and after the root before.
 * @param rowNow gives the row when it is written: what it counts goes on until then
 * @param onFailed told why the root could not be computed: the row then has none
 */
export async function appendRun(
  lake: Lake,
  runId: string,
  rowNow: () => RunRow,
  onFailed: (error: unknown) => void,
): Promise<string | null> {
  const appId = `${runId}/run`;
  let state: LakeState | undefined;
  try {
    if (!(await lake.table(runs.name).snapshot()).txns.has(appId)) state = await lakeState(lake, runId);
  } catch (error) {
    onFailed(error);
  }
  return appendDecided(lake, runs, async (before) => {
    const own = before.txns.get(appId);
    if (own !== undefined) return { files: [], result: knownRoot(before, own.version) };
    const row = rowNow();
    const previous = knownRoot(before);
    const text = state && rootText({ ...state, previous, row: rowSha256(row) });
    const root = text === undefined ? null : rootOf(text);
    const files = await writeRows(lake, runs, runId, [{ ...row, lake_root: root, lake_root_of: text }]);
    const [version, lastUpdated] = [before.version + 1, Date.now()];
    const txn = { txn: { appId, version, lastUpdated } };
    return {
      files,
      actions: root === null ? [txn] : [txn, rootTxn(root, version, lastUpdated)],
      result: root,
    };
  });
}

/** Gives the root that the newest run ended with; null where there is none. */
export async function newestRoot(lake: Pick<Lake, "table">): Promise<string | null> {
  return knownRoot(await lake.table(runs.name).snapshot());
}

const READS_AT_ONCE = 8;

/** Reads what the root is made of, except what the row itself says. */
async function lakeState(lake: Lake, runId: string) {
  const folders = (await lake.store.folders("")).filter((name) => /^[^._]/.test(name));
  const feed = await lake.table(transactionChanges.name).snapshot();
  const tables = await mapConcurrent(READS_AT_ONCE, folders, async (table) => {
    const version =
      table === transactionChanges.name ? feed.version : await lake.table(table).newestVersion();
    const body = version < 0 ? undefined : await lake.store.get(commitKey(table, version));
    return version < 0
      ? []
      : [[table, `${version} ${body === undefined ? "" : hash("sha256", body)}`] as const];
  });
  return {
    certificates: await certificatesSha256(lake, runId),
    checkpoints: checkpointsSha256(feed),
    tables: new Map(tables.flat()),
  };
}

async function certificatesSha256(lake: Lake, runId: string): Promise<string> {
  const lines = new LinesSha256();
  const location = { ...lake, table: linkSyncs.name };
  const files = async () => (await lake.table(linkSyncs.name).snapshot()).files;
  const adds = (await filesOfRun(lake, linkSyncs.name, runId)) ?? [...(await files()).values()];
  if (adds.length === 0) return lines.digest();
  const paths = await localFiles(location, adds);
  return lake.duckdb.exclusive(async (sql) => {
    const rows = sql.stream(`select link_id, certificate from ${parquetRows(paths, linkSyncs.columns)}
      where run_id = ${sqlText(runId)} and certificate is not null order by link_id, certificate`);
    for await (const some of rows)
      for (const { link_id, certificate } of some) lines.add(`${link_id} ${certificate}`);
    return lines.digest();
  });
}
