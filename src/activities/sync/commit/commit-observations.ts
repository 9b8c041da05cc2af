import { knownDay } from "../../../domain/sync/run/reading-window.js";
import type { ReadSliceInput } from "../../../domain/sync/run/slice-work.js";
import type { ReadWindow, WholeList } from "../../../lake/history/whole-lists.js";
import { type BadRow, readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import type { CleanedPlaces } from "../../../lake/sync/journal/record.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery } from "../../../lake/sync/page-bundle.js";
import { withSpooled } from "../../../lake/tables/parquet-file.js";
import type { Stream } from "../../../streams/stream.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair, probe } from "../load/load-with-repair.js";
import type { LoadedPage } from "../load/page-to-load.js";
import { observedListings } from "../read/streams-of-run.js";

/** SQL turns so many bytes of pages into rows at once, to bound memory. */
const STATEMENT_BYTES = 10 * 1024 * 1024;

/**
 * Commits the users' lists: `accounts`, `bank_links` and whatever else has no cursor. This comes before any commit of
 * their links (docs/inside/architecture.md, "Commits").
 *
 * @returns rows of `quarantine`: what was bad among them
 */
export async function commitObservations(
  deps: SyncDependencies,
  { runId, streams }: Pick<ReadSliceInput, "runId" | "streams">,
  appId: string,
  reports: readonly SliceReport[],
): Promise<Record<string, unknown>[]> {
  const bad: Record<string, unknown>[] = [];
  const all = reports.flatMap(({ observed }) => observed);
  // Pages may be of links that were read only to find what is selected.
  const read = new Set([...streams, ...all.map(({ stream }) => stream)]);
  for (const listing of observedListings(deps.streams, [...read])) {
    const users = byUser(all.filter((page) => page.stream === listing.name));
    for (const stream of listing.streams) {
      const isSelected = streams.includes(stream.name);
      for (const [part, some] of chunksOf(users, bytesOf).entries()) {
        const pages = some.flat();
        const loaded = isSelected ? await commitPages(deps, runId, `${appId}/${part}`, stream, pages) : [];
        for (const [index, page] of pages.entries()) {
          bad.push(...(await quarantineRows(deps, runId, stream, page, loaded[index])));
        }
      }
    }
  }
  return bad;
}

/** A user's pages are committed together: lists are compared as wholes, and a row may move from one list to another. */
function byUser(pages: readonly ObservedPage[]): ObservedPage[][] {
  const users = new Map<string, ObservedPage[]>();
  for (const page of pages) {
    const known = users.get(page.fp_id);
    if (known === undefined) users.set(page.fp_id, [page]);
    else known.push(page);
  }
  return [...users.values()];
}

const bytesOf = (pages: readonly Pick<ObservedPage, "place">[]) =>
  pages.reduce((sum, { place }) => sum + place.bytes, 0);

async function commitPages(
  deps: SyncDependencies,
  runId: string,
  appId: string,
  stream: Stream,
  pages: readonly ObservedPage[],
): Promise<readonly LoadedPage[]> {
  const toLoad = pages.map(({ place, fp_id: fpId, link_id: linkId, page }) => {
    return { runId, place, fpId, linkId, page, generation: null, sequenceFrom: null };
  });
  const bytes = bytesOf(pages);
  const write = async (query: string, loaded: readonly LoadedPage[]) => {
    const whole = await wholeLists(deps, runId, stream, pages, loaded);
    return commitObserved(deps.lake, stream, { appId, runId, query, bytes, whole });
  };
  const [first = [], ...others] = chunksOf(toLoad, ({ place }) => place.bytes);
  if (others.length > 0) {
    const loaded: LoadedPage[] = [];
    const spool = async (add: (query: string) => Promise<void>) => {
      for (const chunk of [first, ...others]) {
        const read = await loadWithRepair(deps, stream, chunk, async (bundle, some) => {
          await add(bundleQuery(stream, bundle));
          return some;
        });
        loaded.push(...read);
      }
    };
    await withSpooled(deps.lake, spool, (query) => write(query, loaded));
    return loaded;
  }
  return loadWithRepair(deps, stream, first, async (bundle, loaded) => {
    // A repeated attempt finds the rows committed, and still has to learn what was cut out of them.
    if (!(await write(bundleQuery(stream, bundle), loaded))) await probe(deps, stream, bundle);
    return loaded;
  });
}

/** Cuts pages, or users, into chunks that SQL can read with bounded memory, unless a single one is larger. */
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

/** The lists whose pages have no bad row of the stream, each with the time of its last page. */
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
    // Bad rows that are lost are bad rows all the same.
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

/** The part of a list that its pages cover, so far. */
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

/** The bad rows of a stream among those of a page; undefined where they are lost. */
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

/** One row of `quarantine` (docs/use/tables.md, "quarantine"): a bad row, and the page that it was on. */
export function quarantineRow(
  run_id: string,
  { stream, fp_id, link_id, page }: Pick<ObservedPage, "stream" | "fp_id" | "link_id" | "page">,
  { list, index, reason, payload }: BadRow,
  fetched_at: string | undefined,
): Record<string, unknown> {
  return { run_id, stream, fp_id, link_id, page, index, list, reason, payload, fetched_at };
}
