import { InputError } from "../../domain/failures.js";
import { readCheckpoint } from "./checkpoint-read.js";
import { parseActions } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import {
  commitKey,
  lastCheckpointKey,
  logPrefix,
  versionName,
  versionOfCheckpoint,
  versionOfCommit,
} from "./delta-path.js";
import { advance, type Commit, NO_TABLE, type Snapshot } from "./delta-snapshot.js";

const READS_AT_ONCE = 16;

/**
 * The newest state, from a state known before. Reads only what came after it; starts anew where the known
 * version is gone (a table made again, or commits cleaned up by another tool).
 */
export async function newestSnapshot(log: DeltaLocation, known: Snapshot): Promise<Snapshot> {
  if (known.version >= 0) {
    const advanced = await replayAfter(log, known);
    if (advanced !== undefined) return advanced;
  }
  return fromScratch(log);
}

/** One version's commit, undefined where it is not (or no longer) there. */
export async function readCommit(log: DeltaLocation, version: number): Promise<Commit | undefined> {
  const body = await log.store.get(commitKey(log.table, version));
  if (body === undefined) return undefined;
  try {
    return { version, actions: parseActions(body.toString("utf8")) };
  } catch (error) {
    throw new InputError(
      `Version ${version} of table ${log.table} is not a Delta commit (${(error as Error).message}). ` +
        "Restore its log from a backup.",
      { cause: error },
    );
  }
}

async function fromScratch(log: DeltaLocation): Promise<Snapshot> {
  const hint = await hintedCheckpoint(log);
  if (hint !== undefined) {
    const advanced = await replayAfter(log, hint);
    if (advanced !== undefined) return advanced;
  }
  const entries = await log.store.list(logPrefix(log.table));
  const newest = entries.map((entry) => versionOfCheckpoint(entry.key)).findLast((found) => found);
  const base = newest === undefined ? NO_TABLE : await readCheckpoint(log, newest);
  const versions = entries.map((entry) => versionOfCommit(entry.key)).filter((v) => v !== undefined);
  return replay(
    log,
    base,
    versions.filter((version) => version > base.version),
  );
}

/** The checkpoint that `_last_checkpoint` names; a hint that can't be read is no reason to fail. */
async function hintedCheckpoint(log: DeltaLocation): Promise<Snapshot | undefined> {
  const hint = await log.store.get(lastCheckpointKey(log.table));
  if (hint === undefined) return undefined;
  try {
    const { version, parts } = JSON.parse(hint.toString("utf8")) as { version: number; parts?: number };
    return await readCheckpoint(log, parts === undefined ? { version } : { version, parts });
  } catch {
    return undefined;
  }
}

/** Undefined where the log no longer holds the known version or has a gap after it. */
async function replayAfter(log: DeltaLocation, known: Snapshot): Promise<Snapshot | undefined> {
  const start = `${logPrefix(log.table)}${versionName(known.version)}`;
  const entries = await log.store.list(logPrefix(log.table), start);
  const standing = entries.some(
    ({ key }) => (versionOfCommit(key) ?? versionOfCheckpoint(key)?.version) === known.version,
  );
  if (!standing) return undefined;
  const versions = entries.map((entry) => versionOfCommit(entry.key)).filter((v) => v !== undefined);
  const later = versions.filter((version) => version > known.version);
  if (later.length > 0 && later[0] !== known.version + 1) return undefined;
  return replay(log, known, later);
}

async function replay(log: DeltaLocation, base: Snapshot, versions: readonly number[]): Promise<Snapshot> {
  let state = base;
  for (let from = 0; from < versions.length; from += READS_AT_ONCE) {
    const some = versions.slice(from, from + READS_AT_ONCE);
    const commits = await Promise.all(some.map((version) => readCommit(log, version)));
    for (const [at, commit] of commits.entries()) {
      const expected = state.version + at + 1;
      if (commit?.version !== expected) throw gap(log.table, expected);
    }
    state = advance(state, commits as Commit[]);
  }
  return state;
}

function gap(table: string, version: number): InputError {
  return new InputError(
    `Version ${version} of table ${table} is missing from its log, so the table can't be read. ` +
      "Restore its _delta_log directory from a backup.",
  );
}
