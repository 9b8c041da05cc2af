import { type DeltaAction, removeOf } from "../delta/delta-actions.js";
import { creationOf } from "../delta/delta-schema.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { addOf } from "../tables/parquet-file.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { sameWatermark, watermarkActions, watermarkOf } from "../watermark.js";
import { type FeedChanges, feedChanges } from "./changes/feed-changes.js";
import { FileStorage } from "./files/file-storage.js";
import { writeNewFiles } from "./files/new-files.js";
import type { MaterializeProgress, WriteOptions } from "./progress.js";

export type { MaterializeProgress };

const FEED = transactionChanges.name;

/** Versions of cursors alone after which the watermark is worth a commit: each is read again until then. */
const IDLE_VERSIONS = 100;

/**
 * Rows of the feed that one commit applies: some ten seconds of new rows, some minutes of changed ones. What was
 * committed stays, so a call that is killed or timed out, however often, is continued by the next one.
 */
const PART_ROWS = 5_000_000;

interface MaterializeOptions extends WriteOptions {
  /** Names the new files, so that whoever finds one knows where it came from. */
  readonly runId?: string;
  /** Rows of the feed that one commit applies, about. */
  readonly partRows?: number;
}

/** What one call did. */
interface Materialized {
  /** The feed's version before and after; -1 for none. */
  readonly from: number;
  readonly to: number;
  /** Rows in new files. */
  readonly rows: number;
  /** Files that new ones replaced. */
  readonly rewritten: number;
  /** The whole feed replaced what `transactions` held. */
  readonly rebuilt: boolean;
  /** Why it was rebuilt. */
  readonly because?: string;
}

/**
 * Brings `transactions` up to the version that the feed has when the call starts, in one commit with its
 * watermark, or in several where there is much to apply (docs/inside/architecture.md, "Materialize"). Calls for one lake in one process wait for each other; of
 * two processes the slower one finds the watermark passed and stops.
 *
 * @throws InputError where a file of the lake is missing or a table needs a newer version; StoreFullError on a
 * full disk; DeltaConflictError when every attempt to commit lost; the signal's reason once it is aborted.
 * `transactions` then stands at the last part that was committed.
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
    const standing = await lake.table(transactions.name).snapshot();
    // After it: a state that another process brought up meanwhile is never ahead of the feed then.
    const head = await lake.table(transactionChanges.name).snapshot();
    target ??= head.version;
    const from = watermarkOf(standing, FEED);
    const nothing = { from, to: head.version, rows: 0, rewritten: 0, rebuilt: false };
    if (from < 0 && head.version < 0) return nothing;
    const changes = await feedChanges(lake, standing, head, partRows);
    if (isIdle(changes, from, head)) return done ?? nothing;
    const part = await apply(lake, head, standing, changes, options);
    if (part !== undefined) done = done === undefined ? part : together(done, part);
    if (done !== undefined && done.to >= target) return done;
  }
}

function together(before: Materialized, part: Materialized): Materialized {
  return {
    ...before,
    to: part.to,
    rows: before.rows + part.rows,
    rewritten: before.rewritten + part.rewritten,
  };
}

/** Versions that moved cursors only leave the table, and mostly its watermark too, as they are. */
function isIdle({ adds, whole }: FeedChanges, from: number, head: Snapshot): boolean {
  return !whole && adds.length === 0 && head.version - from < IDLE_VERSIONS;
}

/** Undefined when another writer was faster, so that there is something else to do or nothing at all. */
async function apply(
  lake: Lake,
  head: Snapshot,
  standing: Snapshot,
  changes: FeedChanges,
  options: MaterializeOptions,
): Promise<Materialized | undefined> {
  const storage = new FileStorage(lake, options.runId ?? "materialize");
  const { replaced, files } = await written().catch(async (error) => {
    await storage.discard();
    throw error;
  });
  const from = watermarkOf(standing, FEED);
  const watermark = await watermarkActions(lake.store, { table: FEED, snapshot: head }, changes.to);
  // From here on an error may hide a commit that arrived: the files stay, and vacuum knows what to do.
  const committed = await lake.table(transactions.name).commit((now) => {
    const asPlanned =
      sameWatermark(now, standing, FEED) &&
      (changes.whole
        ? now.version === standing.version
        : replaced.every(({ add }) => now.files.has(add.path)));
    if (!asPlanned) return null;
    const at = Date.now();
    return [
      { commitInfo: { operation: "MERGE", ...(options.runId !== undefined && { runId: options.runId }) } },
      ...(now.version === -1 ? creationOf(transactions, at) : []),
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
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const rebuilt = changes.whole && replaced.length > 0;
  const { because } = changes;
  const done = { from, to: changes.to, rows, rewritten: replaced.length, rebuilt };
  return rebuilt && because !== undefined ? { ...done, because } : done;

  async function written() {
    const replaced = await writeNewFiles(lake, storage, changes, standing, options);
    return { replaced, files: await storage.finished() };
  }
}
