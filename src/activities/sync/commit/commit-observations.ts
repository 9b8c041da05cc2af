import type { ReadSliceInput } from "../../../domain/sync/run/slice-work.js";
import type { WholeList } from "../../../lake/history/append-changes.js";
import { type BadRow, readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery } from "../../../lake/sync/page-bundle.js";
import type { Stream } from "../../../streams/stream.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair, probe } from "../load/load-with-repair.js";
import type { LoadedPage } from "../load/page-to-load.js";
import { observedStreams } from "../read/streams-of-run.js";

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
  for (const stream of observedStreams(deps.streams, streams)) {
    const pages = all.filter((page) => page.stream === stream.name);
    if (pages.length === 0) continue;
    const isSelected = streams.includes(stream.name);
    const loaded = isSelected ? await commitStream(deps, runId, appId, stream, pages) : [];
    for (const [index, page] of pages.entries()) {
      bad.push(...(await quarantineRows(deps, runId, page, loaded[index])));
    }
  }
  return bad;
}

async function commitStream(
  deps: SyncDependencies,
  runId: string,
  appId: string,
  stream: Stream,
  pages: readonly ObservedPage[],
): Promise<readonly LoadedPage[]> {
  const toLoad = pages.map(({ place, fp_id: fpId, link_id: linkId, page }) => {
    return { runId, place, fpId, linkId, page, generation: null, sequenceFrom: null };
  });
  return loadWithRepair(deps, stream, toLoad, async (bundle, loaded) => {
    const query = bundleQuery(stream, bundle);
    const whole = await wholeLists(deps, runId, pages, loaded);
    const isRead = await commitObserved(deps.lake, stream, { appId, runId, query, whole });
    // A repeated attempt finds the rows committed, but must still learn which bad rows were cut out of them.
    if (!isRead) await probe(deps, stream, bundle);
    return loaded;
  });
}

/** The lists whose pages have no bad row, each with the time of its last page. */
async function wholeLists(
  { lake }: SyncDependencies,
  runId: string,
  pages: readonly ObservedPage[],
  loaded: readonly LoadedPage[],
): Promise<WholeList[]> {
  const lists = new Map<string, WholeList | undefined>();
  for (const [index, { fetchedAt, cleaned }] of loaded.entries()) {
    const { fp_id: fpId, link_id: linkId } = pages[index] as ObservedPage;
    const owner = linkId ?? fpId;
    const known = lists.get(owner);
    const bad = cleaned && (await readBadRows(lake.store, runId, cleaned.bad));
    // Bad rows whose text is lost still count as bad.
    const isBad = cleaned !== undefined && bad?.length !== 0;
    if (isBad || (known === undefined && lists.has(owner))) lists.set(owner, undefined);
    else if (known === undefined || known.readAt < fetchedAt) {
      lists.set(owner, { fpId, linkId, readAt: fetchedAt });
    }
  }
  return [...lists.values()].filter((list) => list !== undefined);
}

async function quarantineRows(
  { lake }: SyncDependencies,
  runId: string,
  page: ObservedPage,
  loaded: LoadedPage | undefined,
): Promise<Record<string, unknown>[]> {
  const cleaned = loaded?.cleaned ?? page.cleaned;
  if (cleaned === undefined) return [];
  const fetchedAt =
    loaded?.fetchedAt.toISOString() ?? (await readRecord(lake.store, runId, page.place))?.header.at;
  const rows = (await readBadRows(lake.store, runId, cleaned.bad)) ?? [];
  return rows.map((row) => quarantineRow(runId, page, row, fetchedAt));
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
