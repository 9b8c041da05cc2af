import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PassingError } from "../../domain/failures.js";
import type { DuckDb } from "../sql/duckdb.js";
import type { ObjectStore } from "../store/object-store.js";
import { writeCheckpoint } from "./checkpoint.js";
import { assertFilesThere } from "./data-files.js";
import { type CommitInfo, type DeltaAction, serializeActions } from "./delta-actions.js";
import { type LogState, newestState, publishCommit } from "./delta-log.js";
import type { DeltaLocation } from "./delta-path.js";
import { assertLawful, assertReadable, assertWritable } from "./delta-schema.js";
import { advance, type Commit, type Snapshot } from "./delta-snapshot.js";
import { cleanUpLog, type LogRetention } from "./log-clean-up.js";
import { isCheckpointDue, listLog, NO_TAIL, tailAfter } from "./log-listing.js";

const MAX_ATTEMPTS = 25;
/** Versions until a failed checkpoint is tried again. */
const RETRIED_AFTER = 10;
const LONGEST_PAUSE_MS = 250;

export interface DeltaTableOptions {
  /** Less log than this gets no checkpoint: 0 for one after each commit, Infinity for none. */
  readonly checkpointFloorBytes?: number;
  readonly retention?: LogRetention;
  /** A checkpoint or clean-up failed; the commit stands. */
  readonly onCheckpointFailed?: (error: unknown) => void;
  /** Another writer was faster. */
  readonly onConflict?: (table: string) => void;
}

/** The actions to commit on a state, null for nothing; called again after each conflict. */
type CommitPlan = (
  snapshot: Snapshot,
) => readonly DeltaAction[] | null | Promise<readonly DeltaAction[] | null>;

export function openTable(
  store: ObjectStore,
  table: string,
  duckdb: DuckDb,
  options: DeltaTableOptions = {},
): DeltaTable {
  return new DeltaTable({ store, table, duckdb }, options);
}

/** The tables of a store by name, each opened once: it caches its state. */
export function tablesOf(
  store: ObjectStore,
  duckdb: DuckDb,
  options?: DeltaTableOptions,
): (name: string) => DeltaTable {
  const tables = new Map<string, DeltaTable>();
  return (name) => {
    const table = tables.get(name) ?? openTable(store, name, duckdb, options);
    tables.set(name, table);
    return table;
  };
}

/** A Delta table: its newest state, and commits on it (docs/inside/rules.md, "Delta log"). */
export class DeltaTable {
  #known: LogState | undefined;
  #checkpointing = false;
  /** The first version for the next checkpoint. */
  #checkpointFrom = 1;

  constructor(
    private readonly location: DeltaLocation,
    private readonly options: DeltaTableOptions = {},
  ) {}

  get name(): string {
    return this.location.table;
  }

  /** Version -1 for no table. @throws InputError where it is damaged or too new */
  async snapshot(): Promise<Snapshot> {
    return (await this.#newest()).snapshot;
  }

  /** Before what can't be undone. @throws InputError also where the table needs a newer writer */
  async writableSnapshot(): Promise<Snapshot> {
    const { snapshot } = await this.#newest();
    assertWritable(this.name, snapshot);
    return snapshot;
  }

  async #newest(): Promise<LogState> {
    const newest = await newestState(this.location, this.#known);
    assertReadable(this.name, newest.snapshot);
    this.#known = newest;
    return newest;
  }

  /**
   * Commits what `plan` decides as the next version; null for nothing.
   * @throws InputError where the table needs a newer writer
   * @throws PassingError where a file is missing or every attempt lost; StoreFullError on a full disk
   */
  async commit(plan: CommitPlan, { maxAttempts = MAX_ATTEMPTS } = {}): Promise<Commit | null> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const state = await this.#newest();
      const commit = await this.#planned(plan, state.snapshot);
      if (commit === null) return null;
      const body = Buffer.from(serializeActions(commit.actions));
      if (await publishCommit(this.location, commit.version, body)) {
        await this.#keep(stateAfter(state, commit, body));
        return commit;
      }
      this.options.onConflict?.(this.name);
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 5 * 2 ** attempt));
    }
    throw new PassingError(
      `Other writers took the next version of table ${this.name} ${maxAttempts} times in a row. ` +
        "Nothing of this commit was published; run the same command again.",
    );
  }

  async #planned(plan: CommitPlan, snapshot: Snapshot): Promise<Commit | null> {
    assertWritable(this.name, snapshot);
    const actions = await plan(snapshot);
    if (actions === null) return null;
    assertLawful(this.name, snapshot, actions);
    await assertFilesThere(this.location, actions);
    return { version: snapshot.version + 1, actions: identified(actions) };
  }

  /** Writes a checkpoint now, and cleans up the log. */
  async checkpoint(snapshot: Snapshot): Promise<void> {
    const listing = await writeCheckpoint(this.location, snapshot);
    await cleanUpLog(this.location, snapshot.metadata, listing, this.options.retention);
  }

  async #keep(state: LogState): Promise<void> {
    this.#known = state;
    const { version } = state.snapshot;
    const isDue = (tail: LogState["tail"]) => isCheckpointDue(tail, this.options.checkpointFloorBytes);
    if (this.#checkpointing || version < this.#checkpointFrom || !isDue(state.tail)) return;
    this.#checkpointing = true;
    try {
      // Another process may have written a checkpoint.
      const tail = tailAfter(NO_TAIL, -1, await listLog(this.location));
      if (isDue(tail)) await this.checkpoint(state.snapshot);
      else this.#known = { ...state, tail };
    } catch (error) {
      this.#checkpointFrom = version + RETRIED_AFTER;
      this.options.onCheckpointFailed?.(error);
    } finally {
      this.#checkpointing = false;
    }
  }
}

function stateAfter({ snapshot, tail }: LogState, commit: Commit, body: Buffer): LogState {
  return {
    snapshot: advance(snapshot, [commit]),
    tail: { ...tail, versions: tail.versions + 1, bytes: tail.bytes + body.length },
  };
}

/** Adds an id, by which a writer recognises its commit when the answer was lost. */
export function identified(actions: readonly DeltaAction[]): DeltaAction[] {
  const given = actions.find((action) => "commitInfo" in action)?.commitInfo;
  const commitInfo: CommitInfo = {
    operation: "WRITE",
    engineInfo: "nightledger",
    ...given,
    timestamp: Date.now(),
    commitId: randomUUID(),
  };
  return [{ commitInfo }, ...actions.filter((action) => !("commitInfo" in action))];
}
