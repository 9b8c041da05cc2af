import { mapConcurrent } from "../../domain/concurrent-work.js";
import { readCommit } from "../delta/delta-log.js";
import { type DeltaLocation, fileKey, logPrefix } from "../delta/delta-path.js";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Commit, Snapshot } from "../delta/delta-snapshot.js";
import { openTable } from "../delta/delta-table.js";
import { expiredFiles } from "../delta/log-clean-up.js";
import { type LogListing, listingOf, listLog, NO_TAIL, tailAfter } from "../delta/log-listing.js";
import { isCurrent } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import { asFull, type StoreFullError } from "../store/local/local-store-errors.js";
import type { ObjectEntry } from "../store/object-store.js";
import { compact, filesToMerge } from "../tables/compact.js";
import { transactions } from "../tables/transactions.js";
import { type Amount, amountOf, type Upkeep } from "./last-upkeep.js";

const AT_ONCE = 16;
/** Readers open each version after a checkpoint. */
const CHECKPOINT_AFTER = 20;

export interface UpkeepOptions {
  readonly before: number;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
  /** Goes on after a full disk, which stops no deleting; without it, the call ends. */
  readonly onFull?: (error: StoreFullError) => void;
}

/** What was done, or would be. */
export interface TableUpkeep {
  readonly table: string;
  /** Before and after merges. */
  readonly live: { readonly before: number; readonly after: number } & Pick<Amount, "bytes">;
  /** Files that are not live. */
  readonly old: Upkeep;
  readonly log: Upkeep;
  /** Files that are not ours. */
  readonly unknown: Amount;
}

/**
 * Merges a table's small files, shortens its log, and deletes files that nobody needs; a kill leaves less for the next.
 */
export async function maintainTable(
  known: Lake,
  spec: TableSpec,
  options: UpkeepOptions,
): Promise<TableUpkeep> {
  // Deletes by the log alone: of a restored table, this process may know another past.
  const table = openTable(known.store, spec.name, known.duckdb);
  const lake: Lake = { ...known, table: (name) => (name === spec.name ? table : known.table(name)) };
  const { files } = await table.snapshot();
  const unlessFull = <T>(work: Promise<T>, otherwise: T) =>
    work.catch((error) => {
      const full = asFull(error);
      if (full === undefined || options.onFull === undefined) throw error;
      options.onFull(full);
      return otherwise;
    });
  const merged = await unlessFull(mergeSmall(lake, spec, options), 0);
  const logBefore = await logEntries(lake, spec.name);
  // The log goes first, so that the files of all its versions stay. A kill before the deletes leaves files that the
  // next call finds in the directory.
  const shortened = await unlessFull(shortenedLog(lake, spec.name, logBefore, options.dryRun), undefined);
  const log = shortened ?? byKey(await logEntries(lake, spec.name));
  // No run commits a file that waited for days.
  const { live, kept, unneeded, unknown } = await judged(lake, spec.name, options.before);
  if (!options.dryRun) {
    await mapConcurrent(AT_ONCE, unneeded, async ({ key }) => {
      options.signal?.throwIfAborted();
      await lake.store.delete(key);
    });
  }
  return {
    table: spec.name,
    live: { before: files.size, after: live.length - merged, bytes: amountOf(live).bytes },
    old: { kept: amountOf(kept), freed: amountOf(unneeded) },
    log: { kept: amountOf(log.values()), freed: amountOf(logBefore.filter(({ key }) => !log.has(key))) },
    unknown: amountOf(unknown),
  };
}

/** The number of files that a dry run would merge; what derived tables are written by keeps them in form. */
async function mergeSmall(lake: Lake, spec: TableSpec, { dryRun, signal }: UpkeepOptions): Promise<number> {
  if (spec.name === transactions.name || isCurrent(spec)) return 0;
  if (!dryRun) {
    await compact(lake, spec, { signal });
    return 0;
  }
  const { files } = await lake.table(spec.name).snapshot();
  return filesToMerge(files.values()).reduce((sum, { length }) => sum + length - 1, 0);
}

/** Writes a checkpoint after many versions, which cleans up the log; returns the rest. */
async function shortenedLog(
  lake: Lake,
  table: string,
  entries: readonly ObjectEntry[],
  dryRun: boolean,
): Promise<Map<string, ObjectEntry>> {
  const listing = listingOf(entries);
  const { versions, bytes, checkpointBytes } = tailAfter(NO_TAIL, -1, listing);
  const left = byKey(entries);
  if (versions < CHECKPOINT_AFTER) return left;
  if (dryRun) {
    const next = { version: listing.commits.at(-1)?.version ?? 0, bytes: checkpointBytes || bytes };
    const checkpoints = [...listing.checkpoints, next];
    for (const key of expiredFiles({ ...listing, checkpoints })) left.delete(key);
    return left;
  }
  const log = lake.table(table);
  await log.checkpoint(await log.snapshot());
  return byKey(await logEntries(lake, table));
}

function byKey(entries: readonly ObjectEntry[]): Map<string, ObjectEntry> {
  return new Map(entries.map((entry) => [entry.key, entry]));
}

function logEntries({ store }: Lake, table: string): Promise<ObjectEntry[]> {
  return store.list(logPrefix(table));
}

async function judged(lake: Lake, table: string, before: number) {
  const location = { ...lake, table };
  const entries = (await lake.store.list(`${table}/`)).filter(({ key }) => !key.startsWith(logPrefix(table)));
  const snapshot = await lake.table(table).snapshot();
  const recent = await commitsSince(location, await listLog(location), before);
  return judgeFiles(entries, snapshot, recent, before, (path) => fileKey(table, path));
}

/** Earlier versions refer to what these removed. */
async function commitsSince(
  location: DeltaLocation,
  { commits }: LogListing,
  before: number,
): Promise<Commit[]> {
  const recent = commits.filter(({ modifiedAt }) => modifiedAt.getTime() >= before);
  const read = await mapConcurrent(AT_ONCE, recent, ({ version }) => readCommit(location, version));
  return read.filter((commit) => commit !== undefined);
}

/** Files may go that no recent version names and that were written before an instant. Pure. */
export function judgeFiles(
  entries: readonly ObjectEntry[],
  { files, tombstones }: Pick<Snapshot, "files" | "tombstones">,
  recent: readonly Commit[],
  before: number,
  keyOf: (path: string) => string,
) {
  const live = new Set([...files.keys()].map(keyOf));
  const named = new Set<string>();
  for (const { path, deletionTimestamp } of tombstones.values())
    if ((deletionTimestamp ?? before) >= before) named.add(keyOf(path));
  for (const action of recent.flatMap(({ actions }) => actions)) {
    if ("add" in action) named.add(keyOf(action.add.path));
    else if ("remove" in action) named.add(keyOf(action.remove.path));
  }
  // `kept`: a retained version refers to it, or a commit may be about to.
  type Judgement = "live" | "kept" | "unneeded" | "unknown";
  const judged: Record<Judgement, ObjectEntry[]> = { live: [], kept: [], unneeded: [], unknown: [] };
  for (const entry of entries) {
    const { key, modifiedAt } = entry;
    if (live.has(key)) judged.live.push(entry);
    else if (!isDataFile(key)) judged.unknown.push(entry);
    else if (named.has(key) || modifiedAt.getTime() >= before) judged.kept.push(entry);
    else judged.unneeded.push(entry);
  }
  return judged;
}

/** Tables have no directories: files in one are somebody's own. */
export function isDataFile(key: string): boolean {
  return /^[^/]+\/[^/_.][^/]*\.parquet$/.test(key);
}
