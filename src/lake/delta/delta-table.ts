import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FAILURE_TYPES } from "../../domain/failures.js";
import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";
import { writeCheckpoint } from "./checkpoint.js";
import { type AddFile, type CommitInfo, type DeltaAction, serializeActions } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { isInHistory, type LogState, NO_LOG, newestState, readCommit } from "./delta-log.js";
import { commitKey } from "./delta-path.js";
import { assertLawful, assertReadable, assertWritable } from "./delta-protocol.js";
import { creationOf, type TableSpec } from "./delta-schema.js";
import { advance, type Snapshot } from "./delta-snapshot.js";
import { cleanUpLog, type LogRetention } from "./log-clean-up.js";
import { isCheckpointDue, listLog, NO_TAIL, tailAfter } from "./log-listing.js";
import { assertFilesThere } from "./missing-files.js";

const MAX_ATTEMPTS = 25;
/** Versions after which a checkpoint that failed is tried again. */
const RETRIED_AFTER = 10;
const LONGEST_PAUSE_MS = 250;

interface DeltaTableOptions {
  /** Bytes of log below which no checkpoint follows: 0 for one after each commit, Infinity for none. */
  readonly checkpointFloorBytes?: number;
  /** What stays of the log when it is cleaned up. */
  readonly retention?: LogRetention;
  /** Told of a checkpoint, or a clean-up after it, that failed; the commit before it stands all the same. */
  readonly onCheckpointFailed?: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Decides what to commit on a state: the actions, or null for nothing. Called again with a newer state each
 * time another writer was faster, so it compares what it must (heads, transactions, live files) every time.
 */
type CommitPlan = (
  snapshot: Snapshot,
) => readonly DeltaAction[] | null | Promise<readonly DeltaAction[] | null>;

interface Committed {
  readonly version: number;
  readonly actions: readonly DeltaAction[];
}

/** A file that a version brought new rows in. */
export interface ChangedFile {
  readonly version: number;
  readonly add: AddFile;
}

/** Opens a table of a store, whether it is there already or not. */
export function openTable(
  store: ObjectStore,
  table: string,
  duckdb: DuckDb,
  options: DeltaTableOptions = {},
): DeltaTable {
  return new DeltaTable({ store, table, duckdb }, options);
}

/**
 * One Delta table: its newest state, and commits on top of it
 * (docs/inside/architecture.md, "Durable writes" and "Delta log").
 */
export class DeltaTable {
  readonly name: string;
  readonly #location: DeltaLocation;
  readonly #options: DeltaTableOptions;
  #known: LogState = NO_LOG;
  #checkpointing = false;
  /** The first version that may be followed by a checkpoint. */
  #checkpointFrom = 1;

  constructor(location: DeltaLocation, options: DeltaTableOptions = {}) {
    this.name = location.table;
    this.#location = location;
    this.#options = options;
  }

  /**
   * The newest state; version -1 while the table is not there.
   * @throws InputError where the table needs a newer reader or its log is damaged.
   */
  async snapshot(): Promise<Snapshot> {
    return (await this.#newest()).snapshot;
  }

  async #newest(): Promise<LogState> {
    const newest = await newestState(this.#location, this.#known);
    assertReadable(this.name, newest.snapshot);
    this.#known = newest;
    return newest;
  }

  /**
   * Commits what `plan` decides, at the next version that is free; null when there is nothing to do.
   * Each commit carries a `commitInfo.commitId` of its own, so that after an ambiguous answer the version
   * is read back and known for ours or another's.
   * @throws InputError where the table needs a newer writer; nothing is changed.
   * @throws MissingFilesError where a file that it adds is not there, whole; nothing is published.
   * @throws DeltaConflictError when all attempts lost, StoreFullError on a full disk; nothing is published.
   */
  async commit(plan: CommitPlan, options: { readonly maxAttempts?: number } = {}): Promise<Committed | null> {
    const attempts = options.maxAttempts ?? MAX_ATTEMPTS;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const { snapshot, tail } = await this.#newest();
      assertWritable(this.name, snapshot);
      const planned = await plan(snapshot);
      if (planned === null) return null;
      assertLawful(this.name, snapshot, planned);
      await assertFilesThere(this.#location, planned);
      const commit = { version: snapshot.version + 1, actions: this.#identified(planned) };
      const body = Buffer.from(serializeActions(commit.actions));
      if (await this.#publish(commit.version, body)) {
        const { checkpointBytes, versions, bytes } = tail;
        await this.#follow({
          snapshot: advance(snapshot, [commit]),
          tail: { checkpointBytes, versions: versions + 1, bytes: bytes + body.length },
        });
        return commit;
      }
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 5 * 2 ** attempt));
    }
    throw new DeltaConflictError(this.name, attempts);
  }

  /** Makes the table where it is not there yet. */
  async create(spec: TableSpec): Promise<void> {
    await this.commit(({ version }) => (version === -1 ? creationOf(spec, this.#now()) : null));
  }

  /**
   * The files that brought new rows in the versions after `fromExclusive`, in their order; undefined when
   * one of these versions can't be read any more, or took rows away, and the caller must start from the live files.
   */
  async changesBetween(fromExclusive: number, toInclusive: number): Promise<ChangedFile[] | undefined> {
    const changed: ChangedFile[] = [];
    for (let version = fromExclusive + 1; version <= toInclusive; version += 1) {
      const commit = await readCommit(this.#location, version);
      if (commit === undefined) return undefined;
      for (const action of commit.actions) {
        if ("remove" in action && action.remove.dataChange) return undefined;
        if ("add" in action && action.add.dataChange) changed.push({ version, add: action.add });
      }
    }
    return changed;
  }

  /** Writes a checkpoint of a state now, whatever its version, and cleans up the log. */
  async checkpoint(snapshot: Snapshot): Promise<void> {
    const listing = await writeCheckpoint(this.#location, snapshot);
    await cleanUpLog(this.#location, snapshot.metadata, listing, this.#options.retention);
  }

  /** False when another writer has the version, or had it so long ago that the log was cleaned up since. */
  async #publish(version: number, body: Buffer): Promise<boolean> {
    if (!(await this.#put(version, body))) return false;
    if (await isInHistory(this.#location, version)) return true;
    await this.#location.store.delete(commitKey(this.name, version));
    return false;
  }

  async #put(version: number, body: Buffer): Promise<boolean> {
    const { store, table } = this.#location;
    const key = commitKey(table, version);
    let failure: unknown;
    try {
      if (await store.putIfAbsent(key, body)) return true;
    } catch (error) {
      failure = error;
    }
    // A refusal or an error may hide a write of ours that arrived: only the log itself knows.
    const standing = await store.get(key);
    if (standing?.equals(body)) return true;
    if (standing !== undefined) return false;
    throw failure ?? new Error(`Version ${version} of table ${table} was refused, yet is not there.`);
  }

  #identified(planned: readonly DeltaAction[]): DeltaAction[] {
    const given = planned.find((action) => "commitInfo" in action)?.commitInfo;
    const commitInfo: CommitInfo = {
      operation: "WRITE",
      engineInfo: "nightledger",
      ...given,
      timestamp: this.#now(),
      commitId: randomUUID(),
    };
    return [{ commitInfo }, ...planned.filter((action) => !("commitInfo" in action))];
  }

  /** Keeps the state after a commit, and writes a checkpoint of it where one is due. */
  async #follow(state: LogState): Promise<void> {
    this.#known = state;
    const { version } = state.snapshot;
    const floor = this.#options.checkpointFloorBytes;
    if (this.#checkpointing || version < this.#checkpointFrom || !isCheckpointDue(state.tail, floor)) return;
    this.#checkpointing = true;
    try {
      // Another process may have written one that is not known here.
      const tail = tailAfter(NO_TAIL, -1, await listLog(this.#location));
      if (isCheckpointDue(tail, floor)) await this.checkpoint(state.snapshot);
      else this.#known = { ...state, tail };
    } catch (error) {
      this.#checkpointFrom = version + RETRIED_AFTER;
      this.#options.onCheckpointFailed?.(error);
    } finally {
      this.#checkpointing = false;
    }
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/**
 * Thrown when other writers took every version a commit tried for. Nothing of it was published; trying
 * again later succeeds.
 */
export class DeltaConflictError extends Error {
  override readonly name = FAILURE_TYPES.transient;

  constructor(
    readonly table: string,
    readonly attempts: number,
  ) {
    super(
      `Other writers took the next version of table ${table} ${attempts} times in a row. ` +
        "Nothing of this commit was published; it can be tried again.",
    );
  }
}
