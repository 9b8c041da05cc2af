import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jsonFile, parquetFiles } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { checkpointHint, downloadCheckpoint } from "./checkpoint-read.js";
import type { DeltaAction } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { checkpointKeys, lastCheckpointKey } from "./delta-path.js";
import type { Snapshot } from "./delta-snapshot.js";
import { type LogCheckpoint, type LogListing, listLog } from "./log-listing.js";

const DAY_MS = 86_400_000;
/** Days on which the table has committed, the newest ones, for which tombstones and transactions are kept. */
const TOMBSTONE_DAYS = 7;
const TXN_DAYS = 30;
/** Versions for which transactions are kept in any case. */
const TXN_VERSIONS = 5_000;
const ACTIONS_A_CHUNK = 1_000;
/** A thread holds the rows of a group, up to a kilobyte each: two threads, or larger groups, fail at 100,000 links. */
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
 * The actions that stand for a whole state. Old tombstones and transactions are left out
 * (docs/inside/architecture.md, "Delta log"); a transaction without `lastUpdated` stays for ever. What is old is counted by
 * what the table itself has seen, and not by a clock: one that jumps a month ahead, or one that lies a month behind
 * that of another machine, would drop the transactions of a run that is going on, and its repeated steps would
 * append their rows twice.
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

/** The beginning of the last of so many days, the newest ones among some times. */
function newestDays(times: readonly number[], days: number): number {
  const found = [...new Set(times.map((time) => Math.floor(time / DAY_MS)))].sort((a, b) => b - a);
  return (found[days - 1] ?? Number.NEGATIVE_INFINITY) * DAY_MS;
}

/**
 * Writes a classic one-file checkpoint of a state, points `_last_checkpoint` to the log's newest one, and says what
 * the log has then. A checkpoint that is there already is left as it is.
 */
export async function writeCheckpoint(at: DeltaLocation, snapshot: Snapshot): Promise<LogListing> {
  const { store, table, duckdb } = at;
  const key = checkpointKeys(table, snapshot.version)[0] as string;
  if ((await store.stat(key)) !== undefined) return pointToNewest(at);
  const scratch = join(duckdb.scratchDirectory, `checkpoint-${randomUUID()}`);
  const [lines, parquet] = [`${scratch}.jsonl`, `${scratch}.parquet`];
  try {
    await duckdb.makeScratch();
    const longest = await writeLines(lines, checkpointActions(snapshot));
    await duckdb.exclusive((sql) => sql.run(copyStatement(lines, parquet, longest)), WRITING_THREADS);
    await store.upload(parquet, key);
  } finally {
    await rm(lines, { force: true });
    await rm(parquet, { force: true });
  }
  return pointToNewest(at);
}

/**
 * Brings `_last_checkpoint` to the newest checkpoint that the log has. Looks again after each write: one that another
 * process held back may have come between, and would name an older checkpoint for long.
 */
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

/** What `_last_checkpoint` says of a checkpoint, whoever wrote it. */
async function hintOf(at: DeltaLocation, checkpoint: LogCheckpoint): Promise<object> {
  const { version, parts, bytes } = checkpoint;
  const source = parquetFiles(await downloadCheckpoint(at, checkpoint));
  const [counts] = await at.duckdb.exclusive((sql) =>
    sql.few(`select count(*) as actions, count("add".path) as files from ${source}`),
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

/** Writes an action a line; gives the bytes of the longest. */
async function writeLines(path: string, actions: Iterable<DeltaAction>): Promise<number> {
  let longest = 0;
  function* chunks() {
    let chunk: string[] = [];
    for (const action of actions) {
      const line = `${JSON.stringify(action)}\n`;
      longest = Math.max(longest, Buffer.byteLength(line));
      chunk.push(line);
      if (chunk.length === ACTIONS_A_CHUNK) {
        yield chunk.join("");
        chunk = [];
      }
    }
    yield chunk.join("");
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { mode: 0o600 }));
  return longest;
}
