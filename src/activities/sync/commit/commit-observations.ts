import type { WholeList } from "../../../lake/history/append-changes.js";
import { readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery } from "../../../lake/sync/page-bundle.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair } from "../load/load-with-repair.js";
import type { LoadedPage, PageToLoad } from "../load/page-to-load.js";
import { observedStreams } from "../read/streams-of-run.js";

interface ObservedInput {
  readonly runId: string;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
}

/** A page as it is given to loading. */
interface GivenPage extends PageToLoad {
  readonly given: ObservedPage;
}

/** What was seen of pages while they were loaded. */
type Seen = ReadonlyMap<GivenPage, LoadedPage>;

/**
 * Commits what users look like now: `accounts`, `bank_links` and whatever else has no cursor; none of their links is
 * committed before this is (docs/architecture.md, "Commits").
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
    const seen = new Map<GivenPage, LoadedPage>();
    if (streams.includes(stream.name)) {
      await loadWithRepair(
        deps,
        stream,
        pages,
        async (bundle) => {
          const whole = await wholeLists(deps, seen);
          await commitObserved(deps.lake, stream, { appId, runId, query: bundleQuery(stream, bundle), whole });
        },
        (page, loaded) => seen.set(page, loaded),
      );
    }
    for (const page of pages) bad.push(...(await quarantinedRows(deps, page, seen.get(page))));
  }
  return bad;
}

function toLoad(runId: string, given: ObservedPage): GivenPage {
  const { place, fp_id: fpId, link_id: linkId } = given;
  return { runId, place, fpId, linkId, generation: null, sequenceFrom: null, given };
}

/** The lists whose pages have no bad row, each with the time of its last page. */
async function wholeLists({ lake }: SyncDependencies, seen: Seen): Promise<WholeList[]> {
  const lists = new Map<string, WholeList | undefined>();
  for (const [{ runId, fpId, linkId }, { cleaned, fetchedAt }] of seen) {
    const owner = linkId ?? fpId;
    const known = lists.get(owner);
    const isBad = cleaned !== undefined && (await readBadRows(lake.store, runId, cleaned.bad))?.length !== 0;
    if (isBad || (known === undefined && lists.has(owner))) lists.set(owner, undefined);
    else if (known === undefined || known.readAt < fetchedAt) {
      lists.set(owner, { fpId, linkId, readAt: fetchedAt });
    }
  }
  return [...lists.values()].filter((list) => list !== undefined);
}

async function quarantinedRows(
  { lake }: SyncDependencies,
  { runId, given }: GivenPage,
  loaded: LoadedPage | undefined,
): Promise<Record<string, unknown>[]> {
  const cleaned = loaded?.cleaned ?? given.cleaned;
  if (cleaned === undefined) return [];
  const { stream, fp_id, link_id, page, place } = given;
  const fetched_at = loaded?.fetchedAt.toISOString() ?? (await readRecord(lake.store, runId, place))?.header.at;
  return ((await readBadRows(lake.store, runId, cleaned.bad)) ?? []).map((row) => ({
    run_id: runId,
    stream,
    fp_id,
    link_id,
    page,
    index: row.index,
    list: row.list,
    reason: row.reason,
    payload: row.payload,
    fetched_at,
  }));
}
