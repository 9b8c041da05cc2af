import { parquetFiles } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import type { DeltaAction } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-path.js";
import { checkpointKeys, lastCheckpointKey } from "./delta-path.js";
import { advance, NO_TABLE, type Snapshot } from "./delta-snapshot.js";

/** Each action of a checkpoint, with a field that is never null in it. */
const ACTIONS = {
  protocol: "minReaderVersion",
  metaData: "id",
  add: "path",
  remove: "path",
  txn: "appId",
} as const;

interface CheckpointName {
  readonly version: number;
  /** The number of its files, if its writer split it. */
  readonly parts?: number;
}

export async function checkpointHint({
  store,
  table,
}: Pick<DeltaLocation, "store" | "table">): Promise<CheckpointName | undefined> {
  const text = await store.get(lastCheckpointKey(table));
  if (text === undefined) return undefined;
  try {
    const { version, parts } = JSON.parse(text.toString("utf8")) as { version: unknown; parts?: unknown };
    if (typeof version !== "number") return undefined;
    return typeof parts === "number" ? { version, parts } : { version };
  } catch {
    return undefined;
  }
}

export function downloadCheckpoint(
  { store, table }: DeltaLocation,
  { version, parts }: CheckpointName,
): Promise<string[]> {
  const keys = checkpointKeys(table, version, parts);
  return Promise.all(keys.map((key) => store.download(key)));
}

/** Reads the state from a classic checkpoint, whichever tool wrote it; unknown columns are ignored. */
export async function readCheckpoint(at: DeltaLocation, checkpoint: CheckpointName): Promise<Snapshot> {
  const paths = await downloadCheckpoint(at, checkpoint);
  const actions = await at.duckdb.exclusive(async (sql) => {
    const source = parquetFiles(paths);
    const columns = await sql.rows(`describe select * from ${source}`);
    const present = new Set(columns.map((column) => column.column_name));
    let found: DeltaAction[] = [];
    for (const [name, field] of Object.entries(ACTIONS)) {
      if (present.has(name)) found = found.concat(await actionsOf(sql, source, name, field));
    }
    return present.has("domainMetadata") ? found.concat(await domainsOf(sql, source)) : found;
  });
  return advance(NO_TABLE, [{ version: checkpoint.version, actions }]);
}

async function actionsOf(
  sql: SqlSession,
  source: string,
  name: string,
  field: string,
): Promise<DeltaAction[]> {
  const rows = await sql.rows(
    `select to_json("${name}")::varchar as action from ${source} where "${name}".${field} is not null`,
  );
  return rows.map(
    (row) => ({ [name]: withoutNulls(JSON.parse(row.action as string)) }) as unknown as DeltaAction,
  );
}

/** Reads domains as plain columns: there may be 100,000 of them. */
async function domainsOf(sql: SqlSession, source: string): Promise<DeltaAction[]> {
  const rows = await sql.rows(
    `select domainMetadata.domain as domain, domainMetadata.configuration as configuration
     from ${source} where domainMetadata.domain is not null and not coalesce(domainMetadata.removed, false)`,
  );
  return rows.map((row) => ({
    domainMetadata: {
      domain: row.domain as string,
      configuration: row.configuration as string,
      removed: false,
    },
  }));
}

/** Drops null fields: Parquet has every field of an action, a commit only those that are set. */
function withoutNulls(action: object): object {
  return Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null));
}
