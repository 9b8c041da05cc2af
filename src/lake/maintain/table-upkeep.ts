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
import { compactToTarget, mergesToTarget } from "../tables/compact.js";
import { transactions } from "../tables/transactions.js";
import { type Amount, amountOf, type Upkeep } from "./last-upkeep.js";

const AT_ONCE = 16;
/** A log with so many versions after its newest checkpoint gets one: a reader opens each of them. */
const CHECKPOINT_AFTER = 20;

export interface UpkeepOptions {
  /** Things older than this may go. */
  readonly before: number;
  /** Says what would be done, and does nothing. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
  /** Told of a full disk, which keeps nothing from being deleted; without it, the call ends there. */
  readonly onFull?: (error: StoreFullError) => void;
}

/** What was done to a table, or would be. */
export interface TableUpkeep {
  readonly table: string;
  /** Live files before, and after small ones were merged. */
  readonly live: { readonly before: number; readonly after: number } & Pick<Amount, "bytes">;
  /** Files that are not live: those that stay for readers and runs, and those that went. */
  readonly old: Upkeep;
  readonly log: Upkeep;
  /** Files that no table of ours has. */
  readonly unknown: Amount;
}

/** Merges the small files of a table, shortens its log, and deletes files that nobody needs; a kill leaves less for the next. */
export async function maintainTable(
  known: Lake,
  spec: TableSpec,
  options: UpkeepOptions,
): Promise<TableUpkeep> {
  // Who deletes goes by the log alone: of a table that was restored, this process may know another past.
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
  // The log goes first: so the versions that it still has are the ones whose files are looked for and kept. A kill before
  // the files are deleted leaves files that nothing names, which the next call finds in the directory all the same.
  const shortened = await unlessFull(shortenedLog(lake, spec.name, logBefore, options.dryRun), undefined);
  const log = shortened ?? byKey(await logEntries(lake, spec.name));
  // A run commits no file that has waited for days, so what is listed as old here can't become live later.
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

/** Gives by how many files a dry run would merge; `transactions` and small tables are kept in form by what writes them. */
async function mergeSmall(lake: Lake, spec: TableSpec, { dryRun, signal }: UpkeepOptions): Promise<number> {
  if (spec.name === transactions.name || isCurrent(spec)) return 0;
  if (!dryRun) {
    await compactToTarget(lake, spec, signal);
    return 0;
  }
  const { files } = await lake.table(spec.name).snapshot();
  return mergesToTarget(files.values()).reduce((sum, { length }) => sum + length - 1, 0);
}

/** Writes a checkpoint where many versions have followed the last one, which cleans up the log. Gives what is left of it. */
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

/** The commits since an instant that the log still has: what they removed, the versions before them refer to. */
async function commitsSince(
  location: DeltaLocation,
  { commits }: LogListing,
  before: number,
): Promise<Commit[]> {
  const recent = commits.filter(({ modifiedAt }) => modifiedAt.getTime() >= before);
  const read = await mapConcurrent(AT_ONCE, recent, ({ version }) => readCommit(location, version));
  return read.filter((commit) => commit !== undefined);
}

/** Decides which data files may go: those that no version since an instant (`recent`) names and that were written before. Pure. */
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
  // Kept: a version within the retention refers to them, or they are young and a commit may be about to.
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

/** Whether a key may be that of a table's data file. No table has directories: what is in one is somebody's own, such as a copy. */
export function isDataFile(key: string): boolean {
  return /^[^/]+\/[^/_.][^/]*\.parquet$/.test(key);
}
