import { type Removals, removesTooMuch } from "../tables/removals.js";
import type { LinkProgress, LinkRecord, OpenResync } from "./link.js";

interface LoadedRows {
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly sign_conflicts: number;
  readonly sequence_from: number | null;
  readonly sequence_to: number | null;
}

/** Adds up the rows of a link in the files that hold them. Pure. */
export function loadedRows(files: readonly LoadedRows[]): LoadedRows {
  const sum = (name: "created" | "updated" | "removed" | "sign_conflicts") =>
    files.reduce((total, rows) => total + rows[name], 0);
  const from = files.flatMap(({ sequence_from }) => sequence_from ?? []);
  const to = files.flatMap(({ sequence_to }) => sequence_to ?? []);
  return {
    created: sum("created"),
    updated: sum("updated"),
    removed: sum("removed"),
    sign_conflicts: sum("sign_conflicts"),
    sequence_from: from.length === 0 ? null : Math.min(...from),
    sequence_to: to.length === 0 ? null : Math.max(...to),
  };
}

/** Says why loaded rows must not be committed: they are not as many as were delivered. Pure. */
export function countProblem(
  { entries, quarantined }: LinkProgress,
  { created, updated, removed }: LoadedRows,
  bad: number,
): string | null {
  const rows = created + updated + removed;
  if (rows + bad === entries && bad >= quarantined) return null;
  return `schema ${rows} rows loaded and ${bad} quarantined of ${entries} delivered`;
}

/**
 * Says why an update of bad rows alone must not be committed: once its cursor had moved, nobody would read them again.
 * Pure.
 */
export function badProblem({ entries }: LinkProgress, bad: number): string | null {
  return entries > 0 && bad === entries ? `${EVERY_ROW_BAD} ${bad}` : null;
}

/** Beginning of that reason. */
export const EVERY_ROW_BAD = "every_row_bad";

/** Says why a resync must not be committed that infers removals; an empty one removes nothing. Pure. */
export function removalProblem(removals: Removals, entries: number, full: boolean): string | null {
  const { known, gone } = removals;
  const isTooMuch = removesTooMuch(removals) || (entries === 0 && gone > 0);
  return !full && isTooMuch ? `resync_would_remove ${gone} of ${known}` : null;
}

interface LinkUpdate {
  readonly runId: string;
  readonly record: LinkRecord;
  readonly progress: LinkProgress;
  readonly generation: number;
  readonly rows: LoadedRows;
  readonly rowsSha256: string | null;
  readonly quarantined: number;
  /** Inferred removals. */
  readonly gone: number;
  /** That it is a part of. */
  readonly resync?: OpenResync | undefined;
}

/** Makes a link's next checkpoint, but for its certificate; null where nothing came and the cursor stayed. Pure. */
export function nextCheckpoint(update: LinkUpdate) {
  const { runId, record, progress, generation, rows, quarantined, gone, resync } = update;
  const { link_id, fp_id, external_id, base, started_at } = record;
  const isFull = progress.mode === "full";
  const cursorIn = isFull ? null : (base?.cursor ?? null);
  const cursor = progress.lastNext ?? cursorIn;
  const removed = rows.removed + gone;
  const came = rows.created + rows.updated + removed > 0;
  const isUnmoved = base !== null && cursor === base.cursor && generation === base.generation;
  if (!came && isUnmoved && base.resync === undefined) return null;
  // Inferred removals follow the rows that were delivered.
  const firstGone = (base?.next_sequence ?? 1) + progress.entries;
  const next = firstGone + gone;
  return {
    run_id: runId,
    link_id,
    fp_id,
    external_id,
    generation,
    cursor_in: cursorIn,
    cursor_out: cursor,
    pages: progress.pages,
    created: rows.created,
    updated: rows.updated,
    removed,
    quarantined,
    sequence_from: rows.sequence_from ?? (gone > 0 ? firstGone : null),
    sequence_to: gone > 0 ? next - 1 : rows.sequence_to,
    pages_sha256: progress.pagesSha256,
    rows_sha256: update.rowsSha256,
    certificate_prev: base?.head ?? null,
    cursor,
    next_sequence: next,
    attempt: progress.attempt,
    restarts: progress.restarts,
    sign_conflicts: rows.sign_conflicts,
    ...((base?.signs_differ || rows.sign_conflicts > 0) && { signs_differ: true }),
    ...(progress.stillReading && { still_reading: true as const, ...(resync && { resync }) }),
    last_page_sha256: progress.lastPageSha256,
    started_at,
  };
}

interface UpdatePage {
  readonly has_more: boolean;
  readonly transactions: Readonly<Record<"created" | "updated" | "removed", readonly unknown[]>>;
}

/** Whether an answer to a cursor brings anything, or more is there. Pure. */
export function hasNews({ has_more, transactions }: UpdatePage): boolean {
  const { created, updated, removed } = transactions;
  return has_more || created.length + updated.length + removed.length > 0;
}
