import type { WholeList } from "../../../lake/history/append-changes.js";
import { readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery, type PageBundle } from "../../../lake/sync/page-bundle.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair, probe } from "../load/load-with-repair.js";
import type { LoadedPage, PageToLoad } from "../load/page-to-load.js";
import { observedStreams } from "../read/streams-of-run.js";
import { quarantineRow } from "./quarantine-row.js";

interface ObservedInput {
  readonly runId: string;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
}

/** A page as it is given to loading. */
interface GivenPage extends PageToLoad {
  readonly given: ObservedPage;
}

/**
 * Commits what users look like now: `accounts`, `bank_links` and whatever else has no cursor; none of their links is
 * committed before this is (docs/inside/architecture.md, "Commits").
 *
 * @returns rows of `quarantine`: what was bad among them
 */
export async function commitObservations(
  deps: SyncDependencies,
  { runId, streams }: ObservedInput,
  appId: string,
  reports: readonly SliceReport[],
): Promise<Record<string, unknown>[]> {
  const bad: Record<string, unknown>[] = [];
  const all = reports.flatMap(({ observed }) => observed);
  for (const stream of observedStreams(deps.streams, streams)) {
    const pages = all.filter((page) => page.stream === stream.name).map((given) => toLoad(runId, given));
    if (pages.length === 0) continue;
    const loaded = new Map<GivenPage, LoadedPage>();
    const load = <T>(work: (bundle: PageBundle) => Promise<T>) =>
      loadWithRepair(deps, stream, pages, work, (page, seen) => loaded.set(page, seen));
    if (streams.includes(stream.name)) {
      await load(async (bundle) => {
        const query = bundleQuery(stream, bundle);
        const whole = await wholeLists(deps, loaded);
        const isRead = await commitObserved(deps.lake, stream, { appId, runId, query, whole });
        // A repetition finds the rows written, and has to know all the same what was cut out of them.
        if (!isRead) await probe(deps, stream, bundle);
      });
    }
    for (const page of pages) bad.push(...(await quarantinedRows(deps, page, loaded.get(page))));
  }
  return bad;
}

/** The lists whose pages have no bad row, each with the time of its last page. */
async function wholeLists(
  { lake }: SyncDependencies,
  loaded: ReadonlyMap<GivenPage, LoadedPage>,
): Promise<WholeList[]> {
  const lists = new Map<string, WholeList | undefined>();
  for (const [{ runId, fpId, linkId }, { fetchedAt, cleaned }] of loaded) {
    const owner = linkId ?? fpId;
    const known = lists.get(owner);
    const bad = cleaned && (await readBadRows(lake.store, runId, cleaned.bad));
    // Bad rows that are lost are bad rows all the same.
    const isBad = cleaned !== undefined && bad?.length !== 0;
    if (isBad || (known === undefined && lists.has(owner))) lists.set(owner, undefined);
    else if (known === undefined || known.readAt < fetchedAt) {
      lists.set(owner, { fpId, linkId, readAt: fetchedAt });
    }
  }
  return [...lists.values()].filter((list) => list !== undefined);
}

function toLoad(runId: string, given: ObservedPage): GivenPage {
  const { place, fp_id: fpId, link_id: linkId } = given;
  return { runId, place, fpId, linkId, generation: null, sequenceFrom: null, given };
}

async function quarantinedRows(
  { lake }: SyncDependencies,
  { runId, given }: GivenPage,
  loaded: LoadedPage | undefined,
): Promise<Record<string, unknown>[]> {
  const cleaned = loaded?.cleaned ?? given.cleaned;
  if (cleaned === undefined) return [];
  const { stream, fp_id, link_id, page, place } = given;
  const fetched_at =
    loaded?.fetchedAt.toISOString() ?? (await readRecord(lake.store, runId, place))?.header.at;
  const rows = (await readBadRows(lake.store, runId, cleaned.bad)) ?? [];
  return rows.map((row) => quarantineRow({ runId, stream, fp_id, link_id, page }, row, fetched_at));
}
