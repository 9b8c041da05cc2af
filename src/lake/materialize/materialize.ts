import type { PendingRule } from "../../domain/tables/pending-rule.js";
import { type DeltaAction, removeOf } from "../delta/delta-actions.js";
import { schemaActions } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { addOf } from "../tables/parquet-file.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { watermarkActions, watermarkOf } from "../watermark.js";
import { writeNewFiles } from "./files/new-files.js";
import { FileStorage } from "./files/pieces.js";
import {
  decidedRule,
  REFRESHES,
  type Refreshes,
  refreshes,
  ruleActions,
  ruleOf,
  wantedRule,
} from "./pending-rows.js";
import { type FeedChanges, feedChanges } from "./sources.js";

const FEED = transactionChanges.name;

/** Versions without rows after which the watermark is worth a commit: until then each call reads them again. */
const IDLE_VERSIONS = 100;

/**
 * Rows of the feed that one commit applies: some ten seconds of new rows, some minutes of changed ones. A call that is
 * killed or times out, however often, loses only its last part: the next call continues after the last commit.
 */
const PART_ROWS = 5_000_000;

interface MaterializeOptions {
  readonly signal?: AbortSignal;
  /** Begins the names of new files, so that they tell where they came from. */
  readonly runId?: string;
  readonly partRows?: number;
  /** What a sync has found out of pending rows, where the setting is `auto`. */
  readonly rule?: PendingRule;
}

interface Materialized {
  /** The feed's version before and after; -1 for none. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly rewritten: number;
  /** Whether the whole feed replaced what `transactions` held. */
  readonly rebuilt: boolean;
  readonly because?: string;
}

/**
 * Brings `transactions` up to the version that the feed has when the call starts, in one commit with its watermark, or in
 * several if there is much to apply (docs/inside/rules.md, "Materialize"). Of two processes the slower one stops.
 * @throws InputError where a file is missing or a table needs a newer version; StoreFullError on a full disk; PassingError when
 * every attempt to commit lost; the signal's reason. `transactions` then is at the last part that was committed.
 */
export async function materialize(lake: Lake, options: MaterializeOptions = {}): Promise<Materialized> {
  return inQueue(`${lake.store.address}/${transactions.name}`, () => bringUp(lake, options));
}

async function bringUp(lake: Lake, options: MaterializeOptions): Promise<Materialized> {
  const { partRows = PART_ROWS } = options;
  let target: number | undefined;
  let done: Materialized | undefined;
  for (;;) {
    options.signal?.throwIfAborted();
    const current = await lake.table(transactions.name).snapshot();
    // The feed is read second, so that `transactions` is never ahead of it, even if another process brings it up.
    const head = await lake.table(FEED).snapshot();
    target ??= head.version;
    const from = watermarkOf(current, FEED);
    const nothing = { from, to: head.version, rows: 0, rewritten: 0, rebuilt: false };
    if (from < 0 && head.files.size === 0) return nothing;
    const rule = options.rule ?? wantedRule(lake.pending, current);
    const isOther = from >= 0 && rule !== undefined && rule !== ruleOf(current);
    const anew = isOther ? `pending rows count as ${rule} from now on` : undefined;
    const changes = await feedChanges(lake, current, head, partRows, anew);
    // The rows of a later part may be as old as those of the first.
    const refreshed =
      rule === "replaced" ? await refreshes(lake, changes.whole || done?.rebuilt === true) : undefined;
    const isSame = refreshed === undefined || refreshed.head.version === watermarkOf(current, REFRESHES);
    if (isSame && rule === decidedRule(current) && isIdle(changes, from, head)) return done ?? nothing;
    const part = await apply(lake, current, head, { ...changes, rule, refreshed }, options);
    if (part !== undefined) done = done === undefined ? part : together(done, part);
    if (done !== undefined && done.to >= target) return done;
  }
}

/** What to apply, and the rule for pending rows. */
interface Changes extends FeedChanges {
  readonly rule: PendingRule | undefined;
  /** With the rule `replaced`. */
  readonly refreshed: Refreshes | undefined;
}

function together(before: Materialized, { to, rows, rewritten }: Materialized): Materialized {
  return { ...before, to, rows: before.rows + rows, rewritten: before.rewritten + rewritten };
}

/** Whether there is nothing to do: a few versions that only moved cursors are not worth a commit. */
function isIdle({ adds, whole }: FeedChanges, from: number, head: Snapshot): boolean {
  return !whole && adds.length === 0 && head.version - from < IDLE_VERSIONS;
}

/** Applies one part in one commit; undefined if another writer was faster, so that the rest must be planned again. */
async function apply(
  lake: Lake,
  current: Snapshot,
  head: Snapshot,
  changes: Changes,
  options: MaterializeOptions,
): Promise<Materialized | undefined> {
  const storage = new FileStorage(lake, options.runId ?? "materialize");
  const { replaced, files } = await write().catch(async (error) => {
    await storage.discard();
    throw error;
  });
  const { refreshed } = changes;
  const watermark = [
    ...(await watermarkActions(lake.store, { table: FEED, snapshot: head }, changes.to)),
    ...(refreshed === undefined || refreshed.head.version < 0
      ? []
      : await watermarkActions(
          lake.store,
          { table: REFRESHES, snapshot: refreshed.head },
          refreshed.head.version,
        )),
    ...ruleActions(changes.rule),
  ];
  // After an error the commit may still have arrived: the files stay, and vacuum removes them if it did not.
  const committed = await lake.table(transactions.name).commit((now) => {
    if (now.version !== current.version) return null;
    const at = Date.now();
    return [
      { commitInfo: { operation: "MERGE", ...(options.runId !== undefined && { runId: options.runId }) } },
      ...schemaActions(transactions, now, at),
      ...replaced.map(
        ({ add, same }): DeltaAction => ({ remove: { ...removeOf(add, at), dataChange: !same } }),
      ),
      ...files.map((file): DeltaAction => ({ add: addOf(file, !file.same) })),
      ...watermark,
    ];
  });
  if (committed === null) {
    await storage.discard();
    return undefined;
  }
  const { because } = changes;
  return {
    from: watermarkOf(current, FEED),
    to: changes.to,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    rewritten: replaced.length,
    rebuilt: because !== undefined,
    ...(because !== undefined && { because }),
  };

  async function write() {
    const replaced = await writeNewFiles(lake, storage, changes, changes.refreshed, current, options.signal);
    return { replaced, files: await storage.finished() };
  }
}
