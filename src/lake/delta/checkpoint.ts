import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jsonFile } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { DeltaAction } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { checkpointKeys, lastCheckpointKey } from "./delta-path.js";
import type { Snapshot } from "./delta-snapshot.js";

const DAY_MS = 86_400_000;
const TOMBSTONE_AGE_MS = 7 * DAY_MS;
const TXN_AGE_MS = 30 * DAY_MS;
const ACTIONS_A_CHUNK = 1_000;

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
 * The actions that stand for a whole state. Tombstones older than seven days and transactions
 * older than thirty are left out (docs/architecture.md, "Delta log"); a transaction without
 * `lastUpdated` stays for ever.
 */
export function* checkpointActions(snapshot: Snapshot, now: number): Generator<DeltaAction> {
  if (snapshot.protocol) yield { protocol: snapshot.protocol };
  if (snapshot.metadata) yield { metaData: snapshot.metadata };
  for (const add of snapshot.files.values()) yield { add };
  for (const remove of snapshot.tombstones.values()) {
    if ((remove.deletionTimestamp ?? 0) > now - TOMBSTONE_AGE_MS) yield { remove };
  }
  for (const txn of snapshot.txns.values()) {
    if (txn.lastUpdated === undefined || txn.lastUpdated > now - TXN_AGE_MS) yield { txn };
  }
  for (const [domain, configuration] of snapshot.domains) {
    yield { domainMetadata: { domain, configuration, removed: false } };
  }
}

/**
 * Writes a classic one-file checkpoint of a state and points `_last_checkpoint` to it.
 * A checkpoint that is there already (another process was faster) is left as it is.
 */
export async function writeCheckpoint(at: DeltaLocation, snapshot: Snapshot, now: number): Promise<void> {
  const { store, table, duckdb } = at;
  const key = checkpointKeys(table, snapshot.version)[0] as string;
  if ((await store.stat(key)) !== undefined) return;
  const scratch = join(duckdb.scratchDirectory, `checkpoint-${randomUUID()}`);
  const [lines, parquet] = [`${scratch}.jsonl`, `${scratch}.parquet`];
  try {
    await duckdb.makeScratch();
    const written = await writeLines(lines, checkpointActions(snapshot, now));
    await duckdb.exclusive((sql) => sql.run(copyStatement(lines, parquet, written.longest)));
    const { size } = await stat(parquet);
    await store.upload(parquet, key);
    const hint = {
      version: snapshot.version,
      size: written.actions,
      sizeInBytes: size,
      numOfAddFiles: snapshot.files.size,
    };
    await store.put(lastCheckpointKey(table), JSON.stringify(hint));
  } finally {
    await rm(lines, { force: true });
    await rm(parquet, { force: true });
  }
}

function copyStatement(lines: string, parquet: string, longest: number): string {
  const actions = jsonFile(lines, {
    lines: true,
    columns: COLUMNS,
    maximumObjectSize: Math.max(longest + 1, 65_536),
  });
  return `copy (from ${actions}) to ${sqlText(parquet)} (format parquet)`;
}

async function writeLines(path: string, actions: Iterable<DeltaAction>) {
  const written = { actions: 0, longest: 0 };
  function* chunks() {
    let chunk: string[] = [];
    for (const action of actions) {
      const line = `${JSON.stringify(action)}\n`;
      written.actions += 1;
      written.longest = Math.max(written.longest, Buffer.byteLength(line));
      chunk.push(line);
      if (chunk.length === ACTIONS_A_CHUNK) {
        yield chunk.join("");
        chunk = [];
      }
    }
    yield chunk.join("");
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { mode: 0o600 }));
  return written;
}
