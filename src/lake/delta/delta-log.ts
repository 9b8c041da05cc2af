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
/** Times that a log is read before a gap counts as damage: it may be cleaned up, or a listing lack a file, meanwhile. */
const READINGS = 5;

export interface LogState {
  readonly snapshot: Snapshot;
  readonly tail: LogTail;
}

/**
 * Reads the newest state: what came after a known one, or the whole log where that is gone. A table that is known not to be
 * there has no checkpoint to look for first.
 */
export async function newestState(log: DeltaLocation, known: LogState | undefined): Promise<LogState> {
  if (known === undefined) return fromScratch(log);
  if (known.snapshot.version < 0) return wholeLog(log);
  return (await replayAfter(log, known)) ?? fromScratch(log);
}

/** Reads the state of an earlier version. @throws InputError where the log does not have it, or not any more */
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
 * Gives the version of a log's newest checkpoint if it names other files or domains than the commits before it made, counted
 * from the older checkpoint or the first version; undefined where it does not, or where one of these commits is gone.
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

/** Finds the newest version of a table by names alone; -1 while it does not exist. */
export async function newestVersion(log: Pick<DeltaLocation, "store" | "table">): Promise<number> {
  const from = (await checkpointHint(log))?.version ?? 0;
  const later = await listLog(log, from);
  const { commits, checkpoints } = later.commits.length > 0 || from === 0 ? later : await listLog(log);
  return commits.at(-1)?.version ?? checkpoints.at(-1)?.version ?? -1;
}

/** Reads one version's commit; undefined if it is not, or no longer, there. */
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

/** Reads the commits from a version back to the first one, as far as they can still be read. */
export async function* commitsBack(log: DeltaLocation, from: number): AsyncGenerator<Commit> {
  for (let version = from; version >= 0; version -= 1) {
    const commit = await readCommit(log, version);
    if (commit === undefined) return;
    yield commit;
  }
}

/** Gives the states of a table, from the first one that its log can still tell to the newest. */
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
 * Finds the files that brought new rows after `version` up to `head`, in their order, also those that were merged since,
 * without erased rows. Undefined where a version or file can't be read any more, or took rows away.
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

/** Publishes a commit as a version; false if another writer has it, or had it before the log was cleaned up. */
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
  // A refusal or an error may hide a write of ours that arrived: only the log itself can tell.
  const found = await store.get(key);
  if (found !== undefined) return found.equals(body);
  throw failure ?? new Error(`Version ${version} of table ${table} was refused, yet does not exist.`);
}

/** Whether a version follows what a log has: the name of one that was cleaned up is free again. */
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

/** @throws InputError where a version is missing after the newest checkpoint. */
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

/** Undefined if the log no longer holds the known version, or has a gap after it. */
async function replayAfter(log: DeltaLocation, known: LogState): Promise<LogState | undefined> {
  const { version } = known.snapshot;
  const listing = await listLog(log, version);
  const isThere = [...listing.commits, ...listing.checkpoints].some((one) => one.version === version);
  const newest = isThere ? await replay(log, known.snapshot, listing) : version;
  if (typeof newest === "number") return undefined;
  return { snapshot: newest, tail: tailAfter(known.tail, version, listing) };
}

/** Applies the listed commits after a state; gives the first version that is missing instead, if one is. */
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
