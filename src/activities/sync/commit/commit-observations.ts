import { groupedBy } from "../../../domain/grouped-by.js";
import { knownDay } from "../../../domain/sync/run/reading-window.js";
import type { ReadSliceInput } from "../../../domain/sync/run/slice-work.js";
import type { Failure } from "../../../domain/sync/sync-totals.js";
import { addRemovals, NO_REMOVALS, type Removals, refusalOf } from "../../../domain/tables/removals.js";
import type { Appended } from "../../../lake/history/append-changes.js";
import type { ReadWindow, WholeList } from "../../../lake/history/whole-lists.js";
import {
  type BadRow,
  type CleanedPlaces,
  readBadRows,
  readRecord,
} from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery } from "../../../lake/sync/page-bundle.js";
import { withSpooled } from "../../../lake/tables/parquet-file.js";
import { observedListings } from "../../../streams/observed-listings.js";
import type { Stream } from "../../../streams/stream.js";
import type { SyncDependencies } from "../dependencies.js";
import { type LoadedPage, loadWithRepair, probe } from "../page-files/load-pages.js";

/** To bound memory. */
const STATEMENT_BYTES = 10 * 1024 * 1024;

export interface CommittedLists extends Pick<ReadSliceInput, "runId" | "streams" | "full"> {
  /** By the run's earlier commits, of each stream. */
  readonly removed: Readonly<Record<string, Removals>>;
}

export interface CommittedObservations {
  readonly bad: readonly Record<string, unknown>[];
  /** Lists of which nothing was taken. */
  readonly failures: readonly Failure[];
  readonly removed: Readonly<Record<string, Removals>>;
}

const NOTHING: Appended = { isRead: false, refused: [], taken: NO_REMOVALS };

/** Commits the users' lists, before any commit of their links (docs/inside/rules.md, "Commits"). */
export async function commitObservations(
  deps: SyncDependencies,
  { runId, streams, full, removed: before }: CommittedLists,
  appId: string,
  reports: readonly SliceReport[],
): Promise<CommittedObservations> {
  const bad: Record<string, unknown>[] = [];
  const failures: Failure[] = [];
  const removed: Record<string, Removals> = {};
  const all = reports.flatMap(({ observed }) => observed);
  // Links may be read only to find what is selected.
  const listed = new Set([...streams, ...all.map(({ stream }) => stream)]);
  for (const listing of observedListings(deps.streams, [...listed])) {
    const read = all.filter((page) => page.stream === listing.name);
    // Lists are compared as wholes, and a row may move from one list to another.
    const users = [...groupedBy(read, ({ fp_id }) => fp_id).values()];
    for (const stream of listing.streams) {
      const isSelected = streams.includes(stream.name);
      for (const [part, some] of chunksOf(users, bytesOf).entries()) {
        const pages = some.flat();
        const { name } = stream;
        const soFar = addRemovals(before[name] ?? NO_REMOVALS, removed[name] ?? NO_REMOVALS);
        const removals = full ? "any" : soFar;
        const { loaded, refused, taken } = isSelected
          ? await commitPages(deps, { runId, appId: `${appId}/${part}`, removals }, stream, pages)
          : { ...NOTHING, loaded: [] };
        removed[name] = addRemovals(removed[name] ?? NO_REMOVALS, taken);
        failures.push(...refused.map((list) => failureOf(name, list)));
        for (const [index, page] of pages.entries()) {
          bad.push(...(await quarantineRows(deps, runId, stream, page, loaded[index])));
        }
      }
    }
  }
  return { bad, failures, removed };
}

function failureOf(stream: string, { list, ...removals }: Appended["refused"][number]): Failure {
  const whose = list?.linkId == null ? "" : `, link ${list.linkId}`;
  return { stream, owner: list?.fpId ?? "", reason: `${stream}: ${refusalOf(removals)}${whose}` };
}

const bytesOf = (pages: readonly Pick<ObservedPage, "place">[]) =>
  pages.reduce((sum, { place }) => sum + place.bytes, 0);

async function commitPages(
  deps: SyncDependencies,
  {
    runId,
    ...options
  }: { readonly runId: string; readonly appId: string; readonly removals: "any" | Removals },
  stream: Stream,
  pages: readonly ObservedPage[],
): Promise<Appended & { readonly loaded: readonly LoadedPage[] }> {
  const write = async (query: string, loaded: readonly LoadedPage[]) => {
    const whole = await wholeLists(deps, runId, stream, pages, loaded);
    return commitObserved(deps.lake, stream, { ...options, runId, query, whole });
  };
  const [first = [], ...others] = chunksOf(pages, ({ place }) => place.bytes);
  if (others.length > 0) {
    const loaded: LoadedPage[] = [];
    const spool = async (add: (query: string) => Promise<void>) => {
      for (const chunk of [first, ...others]) {
        const read = await loadWithRepair(deps, runId, stream, chunk, async (bundle, some) => {
          await add(bundleQuery(stream, bundle));
          return some;
        });
        loaded.push(...read);
      }
    };
    return { ...(await withSpooled(deps.lake, spool, (query) => write(query, loaded))), loaded };
  }
  let appended = NOTHING;
  const loaded = await loadWithRepair(deps, runId, stream, first, async (bundle, some) => {
    appended = await write(bundleQuery(stream, bundle), some);
    // A repeated attempt commits nothing, and still has to learn what was cut out.
    if (!appended.isRead) await probe(deps, stream, bundle);
    return some;
  });
  return { ...appended, loaded };
}

/** A single larger one is a chunk of its own. */
function chunksOf<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const chunks: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = sizeOf(item);
    bytes += size;
    if (bytes > STATEMENT_BYTES) {
      chunks.push([]);
      bytes = size;
    }
    chunks.at(-1)?.push(item);
  }
  return chunks;
}

/** The lists without a bad row of the stream, each with the time of its last page. */
async function wholeLists(
  deps: SyncDependencies,
  runId: string,
  stream: Stream,
  pages: readonly ObservedPage[],
  loaded: readonly LoadedPage[],
): Promise<WholeList[]> {
  const lists = new Map<string, WholeList | undefined>();
  for (const [index, { fetchedAt, cleaned }] of loaded.entries()) {
    const page = pages[index] as ObservedPage;
    const { fp_id: fpId, link_id: linkId } = page;
    const owner = JSON.stringify([fpId, linkId]);
    const known = lists.get(owner);
    const bad = cleaned && (await badRows(deps, runId, stream, cleaned));
    // Bad rows that are lost count too.
    const isBad = cleaned !== undefined && bad?.length !== 0;
    if (isBad || (known === undefined && lists.has(owner))) {
      lists.set(owner, undefined);
      continue;
    }
    const readAt = known === undefined || known.readAt < fetchedAt ? fetchedAt : known.readAt;
    const window = windowOf(page, fetchedAt, known?.window);
    lists.set(owner, { fpId, linkId, readAt, ...(window && { window }) });
  }
  return [...lists.values()].filter((list) => list !== undefined);
}

function windowOf(
  { from, newest }: ObservedPage,
  fetchedAt: Date,
  known: ReadWindow | undefined,
): ReadWindow | undefined {
  if (from === undefined) return undefined;
  const until = knownDay(newest, fetchedAt.toISOString().slice(0, 10));
  const isLater = known?.until == null || (until !== null && known.until < until);
  const begunAt = known === undefined || fetchedAt < known.begunAt ? fetchedAt : known.begunAt;
  return { from, until: isLater ? until : known.until, begunAt };
}

async function badRows(
  { lake }: SyncDependencies,
  runId: string,
  { lists }: Stream,
  { bad }: CleanedPlaces,
): Promise<BadRow[] | undefined> {
  const rows = await readBadRows(lake.store, runId, bad);
  return rows?.filter(({ list }) => lists.some(({ name }) => name === list));
}

async function quarantineRows(
  deps: SyncDependencies,
  runId: string,
  stream: Stream,
  page: ObservedPage,
  loaded: LoadedPage | undefined,
): Promise<Record<string, unknown>[]> {
  const cleaned = loaded?.cleaned ?? page.cleaned;
  if (cleaned === undefined) return [];
  const fetchedAt =
    loaded?.fetchedAt.toISOString() ?? (await readRecord(deps.lake.store, runId, page.place))?.header.at;
  const rows = (await badRows(deps, runId, stream, cleaned)) ?? [];
  const of = { ...page, stream: stream.name };
  return rows.map((row) => quarantineRow(runId, of, row, fetchedAt));
}

/** Makes one row of `quarantine`. */
export function quarantineRow(
  run_id: string,
  { stream, fp_id, link_id, page }: Pick<ObservedPage, "stream" | "fp_id" | "link_id" | "page">,
  { list, index, reason, payload }: BadRow,
  fetched_at: string | undefined,
): Record<string, unknown> {
  return { run_id, stream, fp_id, link_id, page, index, list, reason, payload, fetched_at };
}
