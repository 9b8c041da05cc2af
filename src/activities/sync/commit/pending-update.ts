import { hasLoneSurrogate } from "../../../domain/service/transaction-values.js";
import {
  generationOf,
  type Link,
  type LinkBase,
  type LinkProgress,
  type OpenResync,
  type Recorded,
} from "../../../domain/sync/link.js";
import {
  badProblem,
  countProblem,
  loadedRows,
  nextCheckpoint,
  removalProblem,
} from "../../../domain/sync/link-update.js";
import { placeKey } from "../../../domain/sync/place.js";
import { type FeedFile, inferRemovals } from "../../../lake/sync/feed-file.js";
import { type BadRow, readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import { certificateOf, type LinkCheckpoint } from "../../../lake/sync/link-checkpoint.js";
import { rowsSha256 } from "../../../lake/sync/rows-hash.js";
import type { Dependencies } from "../../dependencies.js";
import type { ManifestFile } from "../page-files/load-pages.js";
import { deliveredSha256 } from "../read/read-link.js";
import type { LoadedFiles } from "./loaded-files.js";

interface QuarantinedRow {
  readonly row: BadRow;
  readonly page: number;
  readonly fetchedAt: string;
}

/** A complete update of a link. */
export interface PendingUpdate extends Recorded {
  readonly key: string;
  readonly progress: LinkProgress;
  /** Other links may share them. */
  readonly files: readonly ManifestFile[];
  readonly bad: readonly QuarantinedRow[];
  /** What a full resync did not bring back. */
  readonly removals?: FeedFile | undefined;
  /** Null where nothing came and the cursor stayed. */
  readonly checkpoint: LinkCheckpoint | null;
  /** Why it must not be committed. */
  readonly problem: string | null;
}

/** Gathers a link's update and decides whether it may be committed. */
export async function pendingUpdate(
  deps: Dependencies,
  { runId, full }: { readonly runId: string; readonly full: boolean },
  loaded: LoadedFiles,
  { link, progress, record }: Link & Recorded,
): Promise<PendingUpdate> {
  const key = placeKey(link);
  const files = loaded.files.get(key) ?? [];
  const update = { key, record, progress, files, bad: [], checkpoint: null };
  const lost = loaded.lost.get(key);
  if (lost !== undefined) return { ...update, files: [], problem: lost };
  const parts = files.flatMap(
    ({ file }) => file?.parts.filter(({ link_id }) => link_id === record.link_id) ?? [],
  );
  const rows = loadedRows(parts);
  const isWhole = rows.created + rows.updated + rows.removed === progress.entries;
  const bad = isWhole ? [] : await badRows(deps, runId, key, files);
  const miscounted = countProblem(progress, rows, bad.length);
  if (miscounted !== null) return { ...update, problem: miscounted };
  const allBad = badProblem(progress, bad.length);
  if (allBad !== null) return { ...update, bad, problem: allBad };
  const generation = generationOf(record, progress);
  const { base } = record;
  const resync = base && resyncOf(base, progress, full, bad);
  // A reading that ended without a cursor may be a part of what there is.
  const isEnd = !progress.stillReading && (progress.mode === "incremental" || progress.lastNext !== null);
  const inferred =
    isEnd && base && resync
      ? await inferRemovals(deps.lake, {
          linkId: record.link_id,
          fpId: record.fp_id,
          externalId: record.external_id,
          runId,
          generation,
          resyncFrom: resync.from,
          sequenceFrom: base.next_sequence + progress.entries,
          files: files.flatMap(({ file }) => file ?? []),
          quarantinedIds: resync.bad,
          at: new Date(),
        })
      : undefined;
  const { gone = 0, known = 0 } = inferred ?? {};
  const delivered = base && resync ? base.next_sequence - resync.from + progress.entries : 0;
  const tooMany = removalProblem({ known, gone }, delivered, resync?.full ?? full);
  if (tooMany !== null) return { ...update, bad, problem: tooMany };
  const removals = gone > 0 ? await inferred?.write() : undefined;
  const next = nextCheckpoint({
    runId,
    record,
    progress: progress.stillReading ? await withLastPage(deps, runId, progress) : progress,
    generation,
    rows,
    rowsSha256: rowsSha256([...parts, ...(removals?.parts ?? [])]),
    quarantined: bad.length,
    gone,
    ...(resync && { resync }),
  });
  const checkpoint = next && {
    ...next,
    head: certificateOf(next),
    reading: key,
    finished_at: new Date().toISOString(),
  };
  return { ...update, bad, removals, checkpoint, problem: null };
}

/** The full resync that a reading is part of, with all its bad rows so far. */
function resyncOf(
  base: LinkBase,
  { mode }: LinkProgress,
  full: boolean,
  bad: readonly QuarantinedRow[],
): OpenResync | undefined {
  const before = mode === "full" ? { from: base.next_sequence, bad: [], full } : base.resync;
  const ids = bad.flatMap(({ row }) => idOf(row));
  return before && { ...before, full: before.full || full, bad: [...before.bad, ...ids] };
}

/** The next run's first page may repeat the last one. */
async function withLastPage({ lake }: Dependencies, runId: string, progress: LinkProgress) {
  const page = progress.lastPage && (await readRecord(lake.store, runId, progress.lastPage));
  return page ? { ...progress, lastPageSha256: deliveredSha256(page.body) } : progress;
}

async function badRows(
  { lake }: Dependencies,
  runId: string,
  key: string,
  files: readonly ManifestFile[],
): Promise<QuarantinedRow[]> {
  const rows: QuarantinedRow[] = [];
  const pages = files.flatMap((file) => file.pages).filter(({ link }) => link === key);
  for (const { page, bad, fetched_at: fetchedAt } of pages.sort((a, b) => a.page - b.page)) {
    if (bad === undefined || fetchedAt === undefined) continue;
    const read = (await readBadRows(lake.store, runId, bad)) ?? [];
    rows.push(...read.map((row) => ({ row, page, fetchedAt })));
  }
  return rows;
}

/** A bad row came back all the same: its removal is not inferred. */
function idOf({ list, payload }: BadRow): string[] {
  const value: unknown = JSON.parse(payload);
  const id = list === "removed" ? value : (value as { transaction_id?: unknown } | null)?.transaction_id;
  return typeof id === "string" && !hasLoneSurrogate(id) ? [id] : [];
}
