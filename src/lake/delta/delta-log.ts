import { InputError } from "../../domain/failures.js";
import { checkpointHint, readCheckpoint } from "./checkpoint-read.js";
import { parseActions } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { commitKey } from "./delta-path.js";
import { advance, type Commit, NO_TABLE, type Snapshot } from "./delta-snapshot.js";
import { type LogTail, listLog, NO_TAIL, tailAfter } from "./log-listing.js";

const READS_AT_ONCE = 16;
/**
 * Times that a log is read before a gap counts as damage: while it is read, another process may clean it up, and a
 * directory that is written to may be listed without a file that is there.
 */
const READINGS = 5;

/** A table's state, and what its log has after the newest checkpoint. */
export interface LogState {
  readonly snapshot: Snapshot;
  readonly tail: LogTail;
}

export const NO_LOG: LogState = { snapshot: NO_TABLE, tail: NO_TAIL };

/** The newest state of a table, read from its log alone. */
export async function newestSnapshot(log: DeltaLocation): Promise<Snapshot> {
  return (await newestState(log, NO_LOG)).snapshot;
}

/**
 * The newest state, from a state known before. Reads only what came after it, and the whole log where the known
 * version is gone (a table made again, or commits that were cleaned up).
 */
export async function newestState(log: DeltaLocation, known: LogState): Promise<LogState> {
  if (known.snapshot.version >= 0) {
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

/**
 * Whether a version can follow what a log has. False where the log was cleaned up beyond it: its name was free again,
 * and whoever took it has not known for long how far the table is.
 */
export async function isInHistory(log: DeltaLocation, version: number): Promise<boolean> {
  if (version === 0) return (await listLog(log)).checkpoints.length === 0;
  if ((await log.store.stat(commitKey(log.table, version - 1))) !== undefined) return true;
  const { checkpoints } = await listLog(log, version - 1);
  return checkpoints.some((checkpoint) => checkpoint.version === version - 1);
}

async function fromScratch(log: DeltaLocation): Promise<LogState> {
  const hinted = await hintedCheckpoint(log);
  const advanced = hinted && (await replayAfter(log, { snapshot: hinted, tail: NO_TAIL }));
  if (advanced !== undefined) return advanced;
  for (let reading = 1; ; reading += 1) {
    const state = await wholeLog(log).catch((error) => {
      if (reading === READINGS) throw error;
    });
    if (state !== undefined) return state;
  }
}

/** @throws InputError where a version is missing after the newest checkpoint. */
async function wholeLog(log: DeltaLocation): Promise<LogState> {
  const listing = await listLog(log);
  const newest = listing.checkpoints.at(-1);
  const base = newest === undefined ? NO_TABLE : await readCheckpoint(log, newest);
  const later = listing.commits.map(({ version }) => version).filter((version) => version > base.version);
  const snapshot = await replay(log, base, later);
  if (typeof snapshot === "number") throw gap(log.table, snapshot);
  return { snapshot, tail: tailAfter(NO_TAIL, base.version, listing) };
}

/** The checkpoint that `_last_checkpoint` names; a hint that can't be read is no reason to fail. */
async function hintedCheckpoint(log: DeltaLocation): Promise<Snapshot | undefined> {
  const hint = await checkpointHint(log);
  return hint && (await readCheckpoint(log, hint).catch(() => undefined));
}

/** Undefined where the log no longer holds the known version or has a gap after it. */
async function replayAfter(log: DeltaLocation, { snapshot, tail }: LogState): Promise<LogState | undefined> {
  const { version } = snapshot;
  const listing = await listLog(log, version);
  const isThere = [...listing.commits, ...listing.checkpoints].some((one) => one.version === version);
  if (!isThere) return undefined;
  const later = listing.commits.map((commit) => commit.version).filter((one) => one > version);
  const newest = await replay(log, snapshot, later);
  if (typeof newest === "number") return undefined;
  return { snapshot: newest, tail: tailAfter(tail, version, listing) };
}

/** The state after some versions, or the first of them that is missing. */
async function replay(
  log: DeltaLocation,
  base: Snapshot,
  versions: readonly number[],
): Promise<Snapshot | number> {
  let state = base;
  for (let from = 0; from < versions.length; from += READS_AT_ONCE) {
    const some = versions.slice(from, from + READS_AT_ONCE);
    const commits = await Promise.all(some.map((version) => readCommit(log, version)));
    for (const [at, commit] of commits.entries()) {
      const expected = state.version + at + 1;
      if (commit?.version !== expected) return expected;
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
