import type { AddFile } from "../../delta/delta-actions.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import type { SqlSession } from "../../sql/duckdb-session.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { feedBatches, fileRows } from "../batches.js";
import { findChangedKeys } from "../changes/changed-keys.js";
import type { FeedChanges } from "../changes/feed-changes.js";
import { holdFresh } from "../changes/fresh-rows.js";
import { Progress, type WriteOptions } from "../progress.js";
import { withSharedTables } from "../shared-tables.js";
import { sourceFiles } from "../sources.js";
import { inTwoLanes } from "../sql-lanes.js";
import type { FileStorage } from "./file-storage.js";
import { rewriteFiles } from "./rewrite.js";
import { planRewrite } from "./rewrite-plan.js";
import { writeBatch } from "./write-batch.js";

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
      const rows = [
        ...batches.map((batch) => batch.rows),
        ...plan.rewrites.map(({ file }) => fileRows(file)),
      ];
      const progress = new Progress(
        rows.reduce((sum, n) => sum + n, 0),
        options,
      );
      await inTwoLanes(
        lake,
        sql,
        batches.map(
          (batch) => (session: SqlSession) =>
            progress.of(batch.rows, () => writeBatch(session, storage, batch)),
        ),
      );
      await rewriteFiles(lake, sql, storage, plan.rewrites, progress);
      return [...replacedByAll, ...plan.replaced.map(({ add }) => add)];
    }),
  );
}
