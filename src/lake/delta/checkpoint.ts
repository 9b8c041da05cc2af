import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonFile, parquetFiles, writeJsonLines } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { DeltaAction } from "./delta-actions.js";
import { checkpointKeys, type DeltaLocation, lastCheckpointKey } from "./delta-path.js";
import { advance, NO_TABLE, type Snapshot } from "./delta-snapshot.js";
import { type LogCheckpoint, type LogListing, listLog, newestDays } from "./log-listing.js";

/** The newest days with a commit whose tombstones and transactions stay. */
const TOMBSTONE_DAYS = 7;
const TXN_DAYS = 30;
/** Versions whose transactions stay in any case. */
const TXN_VERSIONS = 5_000;
/** Each thread has a group's rows, up to a kilobyte each, in memory: two fail at 100,000 links. */
const WRITING_THREADS = 1;
const ROW_GROUP = 8_192;

const MAP = "MAP(VARCHAR, VARCHAR)";
const COLUMNS = {
  protocol:
    "STRUCT(minReaderVersion INTEGER, minWriterVersion INTEGER, readerFeatures VARCHAR[], writerFeatures VARCHAR[])",
  metaData: `STRUCT(id VARCHAR, name VARCHAR, description VARCHAR, format STRUCT(provider VARCHAR, options ${MAP}), schemaString VARCHAR, partitionColumns VARCHAR[], configuration ${MAP}, createdTime BIGINT)`,
  add: `STRUCT(path VARCHAR, partitionValues ${MAP}, size BIGINT, modificationTime BIGINT, dataChange BOOLEAN, stats VARCHAR, tags ${MAP})`,
  remove: `STRUCT(path VARCHAR, deletionTimestamp BIGINT, dataChange BOOLEAN, extendedFileMetadata BOOLEAN, partitionValues ${MAP}, size BIGINT)`,
  txn: "STRUCT(appId VARCHAR, version BIGINT, lastUpdated BIGINT)",
  domainMetadata: "STRUCT(domain VARCHAR, configuration VARCHAR, removed BOOLEAN)",
} as const;

/**
 * The actions of a state, without old tombstones and transactions (docs/inside/rules.md, "Delta log"). Age counts the
 * table's own commits: a wrong clock would drop the transactions of a run under way.
 */
export function* checkpointActions(snapshot: Snapshot): Generator<DeltaAction> {
  if (snapshot.protocol) yield { protocol: snapshot.protocol };
  if (snapshot.metadata) yield { metaData: snapshot.metadata };
  for (const add of snapshot.files.values()) yield { add };
  const tombstones = [...snapshot.tombstones.values()];
  const removedSince = newestDays(
    tombstones.map((remove) => remove.deletionTimestamp ?? 0),
    TOMBSTONE_DAYS,
  );
  for (const remove of tombstones) if ((remove.deletionTimestamp ?? 0) >= removedSince) yield { remove };
  const txns = [...snapshot.txns.values()];
  const setSince = newestDays(
    txns.flatMap(({ lastUpdated }) => lastUpdated ?? []),
    TXN_DAYS,
  );
  for (const txn of txns) {
    const young = txn.lastUpdated === undefined || txn.lastUpdated >= setSince;
    if (young || txn.version > snapshot.version - TXN_VERSIONS) yield { txn };
  }
  for (const [domain, configuration] of snapshot.domains) {
    yield { domainMetadata: { domain, configuration, removed: false } };
  }
}

/** Writes a checkpoint unless there is one, points `_last_checkpoint` to the newest, and lists the log. */
export async function writeCheckpoint(at: DeltaLocation, snapshot: Snapshot): Promise<LogListing> {
  const { store, table, duckdb } = at;
  const key = checkpointKeys(table, snapshot.version)[0] as string;
  if ((await store.stat(key)) !== undefined) return pointToNewest(at);
  const scratch = join(duckdb.scratchDirectory, `checkpoint-${randomUUID()}`);
  const [lines, parquet] = [`${scratch}.jsonl`, `${scratch}.parquet`];
  try {
    await duckdb.makeScratch();
    const longest = await writeJsonLines(lines, checkpointActions(snapshot));
    await duckdb.exclusive((sql) => sql.run(copyStatement(lines, parquet, longest)), WRITING_THREADS);
    await store.uploadAll([{ localPath: parquet, key }]);
  } finally {
    await rm(lines, { force: true });
    await rm(parquet, { force: true });
  }
  return pointToNewest(at);
}

/** Again until it does: another process's late write may come between. */
async function pointToNewest(at: DeltaLocation): Promise<LogListing> {
  for (;;) {
    const hint = await checkpointHint(at);
    const listing = await listLog(at);
    const newest = listing.checkpoints.at(-1);
    if (newest === undefined || newest.version === hint?.version) return listing;
    const body = JSON.stringify(await hintOf(at, newest));
    await at.store.put(lastCheckpointKey(at.table), body, { durable: true });
  }
}

/** A checkpoint as `_last_checkpoint` describes it, of any tool. */
async function hintOf(at: DeltaLocation, checkpoint: LogCheckpoint): Promise<object> {
  const { version, parts, bytes } = checkpoint;
  const source = parquetFiles(await downloadCheckpoint(at, checkpoint));
  const [counts] = await at.duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select count(*) as actions, count("add".path) as files from ${source}`),
  );
  return {
    version,
    size: Number(counts?.actions),
    ...(parts && { parts }),
    sizeInBytes: bytes,
    numOfAddFiles: Number(counts?.files),
  };
}

function copyStatement(lines: string, parquet: string, longest: number): string {
  const actions = jsonFile(lines, {
    lines: true,
    columns: COLUMNS,
    maximumObjectSize: Math.max(longest + 1, 65_536),
  });
  return `copy (from ${actions}) to ${sqlText(parquet)} (format parquet, row_group_size ${ROW_GROUP})`;
}

/** Each action, with a field that is never null. */
const ACTIONS = {
  protocol: "minReaderVersion",
  metaData: "id",
  add: "path",
  remove: "path",
  txn: "appId",
} as const;

export async function checkpointHint({
  store,
  table,
}: Pick<DeltaLocation, "store" | "table">): Promise<Omit<LogCheckpoint, "bytes"> | undefined> {
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

function downloadCheckpoint(
  { store, table }: DeltaLocation,
  { version, parts }: Omit<LogCheckpoint, "bytes">,
): Promise<string[]> {
  const keys = checkpointKeys(table, version, parts);
  return Promise.all(keys.map((key) => store.download(key)));
}

/** The state in a classic checkpoint of any tool. */
export async function readCheckpoint(
  at: DeltaLocation,
  checkpoint: Omit<LogCheckpoint, "bytes">,
): Promise<Snapshot> {
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

/** As plain columns: there may be 100,000 domains. */
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

/** Parquet has every field of an action, a commit only those that are set. */
function withoutNulls(action: object): object {
  return Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null));
}
