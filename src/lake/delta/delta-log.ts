import { InputError } from "../../domain/failures.js";
import { checkpointHint, readCheckpoint } from "./checkpoint.js";
import { type AddFile, parseActions } from "./delta-actions.js";
import { commitKey, type DeltaLocation, fileKey } from "./delta-path.js";
import {
  advance,
  type ChangedFile,
  type Commit,
  isErasure,
  NO_TABLE,
  type Snapshot,
  withoutErased,
} from "./delta-snapshot.js";
import { type LogListing, type LogTail, listLog, NO_TAIL, tailAfter } from "./log-listing.js";

const READS_AT_ONCE = 16;
/** Readings before a gap counts as damage: a clean-up or an incomplete listing may explain it. */
const READINGS = 5;

export interface LogState {
  readonly snapshot: Snapshot;
  readonly tail: LogTail;
}

/** The newest state: what follows `known`, or the whole log. A new table has no checkpoint to look for. */
export async function newestState(log: DeltaLocation, known: LogState | undefined): Promise<LogState> {
  if (known === undefined) return fromScratch(log);
  if (known.snapshot.version < 0) return wholeLog(log);
  return (await replayAfter(log, known)) ?? fromScratch(log);
}

/** @throws InputError where the log does not have the version (any more) */
export async function stateAt(log: DeltaLocation, version: number): Promise<Snapshot> {
  const listing = await listLog(log);
  const checkpoint = listing.checkpoints.filter((one) => one.version <= version).at(-1);
  const base = checkpoint === undefined ? NO_TABLE : await readCheckpoint(log, checkpoint);
  const commits = listing.commits.filter((one) => one.version <= version);
  const state = await replay(log, base, { ...listing, commits });
  if (typeof state !== "number" && state.version === version) return state;
  const newest = Math.max(-1, ...[...listing.commits, ...listing.checkpoints].map((one) => one.version));
  throw new InputError(
    `The log of table ${log.table} does not have version ${version}, or not any more; its newest is ${newest}. ` +
      "Nothing was changed.",
  );
}

/**
 * The newest checkpoint's version if it differs from the commits since the older one or the first version; undefined
 * where it agrees, or a commit is gone.
 */
export async function falseCheckpoint(log: DeltaLocation): Promise<number | undefined> {
  const { checkpoints, commits, ...rest } = await listLog(log);
  const [newest, older] = checkpoints.toReversed();
  if (newest === undefined) return undefined;
  const base = older === undefined ? NO_TABLE : await readCheckpoint(log, older);
  const until = commits.filter(({ version }) => version <= newest.version);
  const made = await replay(log, base, { ...rest, checkpoints, commits: until });
  if (typeof made === "number" || made.version !== newest.version) return undefined;
  return isSameState(made, await readCheckpoint(log, newest)) ? undefined : newest.version;
}

function isSameState(a: Snapshot, b: Snapshot): boolean {
  const isSame = ({ size, stats, tags }: AddFile, other: AddFile | undefined) =>
    size === other?.size &&
    stats === other.stats &&
    JSON.stringify(tags ?? {}) === JSON.stringify(other.tags ?? {});
  return (
    a.files.size === b.files.size &&
    a.domains.size === b.domains.size &&
    [...a.files].every(([path, file]) => isSame(file, b.files.get(path))) &&
    [...a.domains].every(([domain, text]) => text === b.domains.get(domain))
  );
}

/** By names alone; -1 for no table. */
export async function newestVersion(log: Pick<DeltaLocation, "store" | "table">): Promise<number> {
  const from = (await checkpointHint(log))?.version ?? 0;
  const later = await listLog(log, from);
  const { commits, checkpoints } = later.commits.length > 0 || from === 0 ? later : await listLog(log);
  return commits.at(-1)?.version ?? checkpoints.at(-1)?.version ?? -1;
}

/** Undefined where the commit is not there (any more). */
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

/** Commits from a version back to the first readable one. */
export async function* commitsBack(log: DeltaLocation, from: number): AsyncGenerator<Commit> {
  for (let version = from; version >= 0; version -= 1) {
    const commit = await readCommit(log, version);
    if (commit === undefined) return;
    yield commit;
  }
}

/** States from the first one that the log has to the newest. */
export async function* statesOf(log: DeltaLocation): AsyncGenerator<Snapshot> {
  const { commits, checkpoints } = await listLog(log);
  const first = commits[0]?.version === 0 ? undefined : checkpoints[0];
  let state = first === undefined ? NO_TABLE : await readCheckpoint(log, first);
  if (first !== undefined) yield state;
  for (let next = await readCommit(log, state.version + 1); next !== undefined; ) {
    state = advance(state, [next]);
    yield state;
    next = await readCommit(log, state.version + 1);
  }
}

/**
 * Files that brought new rows after `version` up to `head`, also those merged since, without erased rows. Undefined
 * where a version or file is gone, or rows were taken away.
 */
export async function changesAfter(
  log: DeltaLocation,
  version: number,
  head: Snapshot,
): Promise<ChangedFile[] | undefined> {
  let changed: ChangedFile[] = [];
  for (let next = version + 1; next <= head.version; next += 1) {
    const commit = await readCommit(log, next);
    if (commit === undefined) return undefined;
    if (isErasure(commit.actions)) {
      changed = withoutErased(changed, commit.actions);
      continue;
    }
    for (const action of commit.actions) {
      if ("remove" in action && action.remove.dataChange) return undefined;
      if ("add" in action && action.add.dataChange) changed.push({ version: next, add: action.add });
    }
  }
  for (const { add } of changed) {
    const key = fileKey(log.table, add.path);
    if (!head.files.has(add.path) && (await log.store.stat(key)) === undefined) return undefined;
  }
  return changed;
}

/** False if another writer has the version, or had it before a clean-up. */
export async function publishCommit(log: DeltaLocation, version: number, body: Buffer): Promise<boolean> {
  if (!(await putCommit(log, version, body))) return false;
  if (await isNext(log, version)) return true;
  await log.store.delete(commitKey(log.table, version));
  return false;
}

async function putCommit({ store, table }: DeltaLocation, version: number, body: Buffer): Promise<boolean> {
  const key = commitKey(table, version);
  let failure: unknown;
  try {
    if (await store.putIfAbsent(key, body)) return true;
  } catch (error) {
    failure = error;
  }
  // After a refusal or an error our write may have arrived: the log tells.
  const found = await store.get(key);
  if (found !== undefined) return found.equals(body);
  throw failure ?? new Error(`Version ${version} of table ${table} was refused, yet does not exist.`);
}

/** The name of a version that was cleaned up is free again. */
async function isNext(log: DeltaLocation, version: number): Promise<boolean> {
  if (version === 0) return (await listLog(log)).checkpoints.length === 0;
  if ((await log.store.stat(commitKey(log.table, version - 1))) !== undefined) return true;
  const { checkpoints } = await listLog(log, version - 1);
  return checkpoints.some((checkpoint) => checkpoint.version === version - 1);
}

async function fromScratch(log: DeltaLocation): Promise<LogState> {
  const hint = await checkpointHint(log);
  const hinted = hint && (await readCheckpoint(log, hint).catch(() => undefined));
  const advanced = hinted && (await replayAfter(log, { snapshot: hinted, tail: NO_TAIL }));
  return advanced ?? wholeLog(log);
}

/** @throws InputError for a gap after the newest checkpoint */
async function wholeLog(log: DeltaLocation): Promise<LogState> {
  for (let reading = 1; ; reading += 1) {
    const state = await readingOf(log).catch((error) => {
      if (reading === READINGS) throw error;
    });
    if (state !== undefined) return state;
  }
}

async function readingOf(log: DeltaLocation): Promise<LogState> {
  const listing = await listLog(log);
  const newest = listing.checkpoints.at(-1);
  const base = newest === undefined ? NO_TABLE : await readCheckpoint(log, newest);
  const snapshot = await replay(log, base, listing);
  if (typeof snapshot === "number")
    throw new InputError(
      `Version ${snapshot} of table ${log.table} is missing from its log, so the table can't be read. ` +
        "Restore its _delta_log directory from a backup.",
    );
  return { snapshot, tail: tailAfter(NO_TAIL, base.version, listing) };
}

/** Undefined where the log lacks the known version, or has a gap after it. */
async function replayAfter(log: DeltaLocation, known: LogState): Promise<LogState | undefined> {
  const { version } = known.snapshot;
  const listing = await listLog(log, version);
  const isThere = [...listing.commits, ...listing.checkpoints].some((one) => one.version === version);
  const newest = isThere ? await replay(log, known.snapshot, listing) : version;
  if (typeof newest === "number") return undefined;
  return { snapshot: newest, tail: tailAfter(known.tail, version, listing) };
}

/** The state after the listed commits, or the first missing version. */
async function replay(
  log: DeltaLocation,
  snapshot: Snapshot,
  { commits: listed }: LogListing,
): Promise<Snapshot | number> {
  const versions = listed.map(({ version }) => version).filter((version) => version > snapshot.version);
  let state = snapshot;
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
