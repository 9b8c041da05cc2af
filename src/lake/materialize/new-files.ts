import type { AddFile } from "../delta-actions.js";
import type { Snapshot } from "../delta-snapshot.js";
import type { Lake } from "../lake.js";
import { transactionChanges, transactions } from "../tables/transactions.js";
import { feedBatches, fileRows } from "./batches.js";
import { findChangedKeys } from "./changed-keys.js";
import type { FeedChanges } from "./feed-changes.js";
import { holdFresh } from "./fresh-rows.js";
import { REWRITES_AT_ONCE, rewriteFiles } from "./rewrite.js";
import { planRewrite } from "./rewrite-plan.js";
import { withSharedTables } from "./shared-tables.js";
import { sourceFiles } from "./sources.js";
import { writeBatch } from "./write-batch.js";
import type { FileStorage } from "./written-files.js";

/** How far materializing has come, in rows to be written; `total` is an upper bound. */
export interface MaterializeProgress {
  readonly rows: number;
  readonly total: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

/** Something to write, and about how many rows it has. */
interface Step {
  readonly rows: number;
  readonly write: () => Promise<void>;
}

/** Writes the files that bring `transactions` up to date; returns the live files that they replace. */
export async function writeNewFiles(
  lake: Lake,
  storage: FileStorage,
  changes: FeedChanges,
  standing: Snapshot,
  options: WriteOptions,
): Promise<readonly AddFile[]> {
  const standingFiles = [...standing.files.values()];
  const replacedByAll = changes.whole ? standingFiles : [];
  const feed = await sourceFiles(lake, transactionChanges.name, changes.adds);
  const live = await sourceFiles(lake, transactions.name, changes.whole ? [] : standingFiles);
  if (feed.length === 0) return replacedByAll;
  return lake.duckdb.exclusive((sql) =>
    withSharedTables(sql, async () => {
      const { freshRows, touched } = await findChangedKeys(sql, feed, live, options.signal);
      const held = live.length === 0 ? undefined : await holdFresh(sql, feed, freshRows);
      const plan = planRewrite(live, touched, held ?? new Map());
      const batches = [...(held === undefined && freshRows > 0 ? feedBatches(feed) : []), ...plan.batches];
      const steps: Step[] = batches.map((batch) => ({
        rows: batch.rows,
        write: () => writeBatch(lake, sql, storage, batch),
      }));
      for (let at = 0; at < plan.rewrites.length; at += REWRITES_AT_ONCE) {
        const some = plan.rewrites.slice(at, at + REWRITES_AT_ONCE);
        steps.push({
          rows: some.reduce((sum, { file }) => sum + fileRows(file), 0),
          write: () => rewriteFiles(lake, sql, storage, some),
        });
      }
      await walk(steps, options);
      return [...replacedByAll, ...plan.replaced.map(({ add }) => add)];
    }),
  );
}

async function walk(steps: readonly Step[], { signal, onProgress }: WriteOptions): Promise<void> {
  const total = steps.reduce((sum, step) => sum + step.rows, 0);
  let rows = 0;
  for (const step of steps) {
    signal?.throwIfAborted();
    await step.write();
    rows += step.rows;
    onProgress?.({ rows, total });
  }
}
