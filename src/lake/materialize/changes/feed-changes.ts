import type { AddFile } from "../../delta/delta-actions.js";
import { changesAfter } from "../../delta/delta-log.js";
import type { ChangedFile, Snapshot } from "../../delta/delta-snapshot.js";
import { factsOf, rowsIn } from "../../delta/delta-stats.js";
import type { Lake } from "../../lake.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { sinceWatermark } from "../../watermark.js";

/** What brings `transactions` from one version of the feed to a later one. */
export interface FeedChanges {
  readonly adds: readonly AddFile[];
  /** The feed's version that `transactions` has reached with them. */
  readonly to: number;
  /** Whether the adds are all that the feed has up to there; they then replace whatever `transactions` holds. */
  readonly whole: boolean;
  /** Why the whole feed is read although there is a table. */
  readonly because?: string;
}

/**
 * Finds the feed's files to apply next to `transactions`: of as many versions as bring `partRows` rows, at least one. It starts
 * from the feed's beginning if the watermark means nothing or a version is lost; if even that can't be read, all live files
 * are one part: nothing tells which of them came first.
 */
export async function feedChanges(
  lake: Lake,
  current: Snapshot,
  head: Snapshot,
  partRows: number,
): Promise<FeedChanges> {
  const feed = transactionChanges.name;
  const since = await sinceWatermark(
    lake,
    { table: transactions.name, snapshot: current },
    { table: feed, snapshot: head },
  );
  if (since.changed !== undefined) return { ...firstPart(since.changed, head, partRows), whole: false };
  const because = since.because ?? (current.files.size > 0 ? "it has lost its watermark" : undefined);
  const live = { adds: [...head.files.values()], to: head.version };
  const isOnePart = rowsIn(live.adds) <= partRows;
  const changed = isOnePart ? undefined : await changesAfter({ ...lake, table: feed }, -1, head);
  const part = changed === undefined ? live : firstPart(changed, head, partRows);
  return { ...part, whole: true, ...(because !== undefined && { because }) };
}

/** Takes whole versions only, so that readers never see part of a commit's rows. */
function firstPart(changed: readonly ChangedFile[], head: Snapshot, partRows: number) {
  let rows = 0;
  let to: number | undefined;
  for (const { version, add } of changed) {
    if (to !== undefined && version > to) break;
    rows += factsOf(add).rows ?? 0;
    if (rows >= partRows) to ??= version;
  }
  const adds = changed.filter(({ version }) => to === undefined || version <= to).map(({ add }) => add);
  // Versions without rows after the last part belong to it.
  const last = changed.at(-1)?.version;
  return { adds, to: to === undefined || to === last ? head.version : to };
}
