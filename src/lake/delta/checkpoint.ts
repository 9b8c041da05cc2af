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
/** Days on which the table has committed, the newest ones, for which tombstones and transactions are kept. */
const TOMBSTONE_DAYS = 7;
const TXN_DAYS = 30;
/** Versions for which transactions are kept in any case. */
const TXN_VERSIONS = 5_000;
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
 * The actions that stand for a whole state. Old tombstones and transactions are left out
 * (docs/architecture.md, "Delta log"); a transaction without `lastUpdated` stays for ever. What is old is counted by
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
 * Writes a classic one-file checkpoint of a state and points `_last_checkpoint` to it.
 * A checkpoint that is there already (another process was faster) is left as it is.
 */
export async function writeCheckpoint(at: DeltaLocation, snapshot: Snapshot): Promise<void> {
  const { store, table, duckdb } = at;
  const key = checkpointKeys(table, snapshot.version)[0] as string;
  if ((await store.stat(key)) !== undefined) return;
  const scratch = join(duckdb.scratchDirectory, `checkpoint-${randomUUID()}`);
  const [lines, parquet] = [`${scratch}.jsonl`, `${scratch}.parquet`];
  try {
    await duckdb.makeScratch();
    const written = await writeLines(lines, checkpointActions(snapshot));
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
