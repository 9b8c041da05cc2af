import { readBadRows, readRecord } from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { bundleQuery, type PageBundle } from "../../../lake/sync/page-bundle.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { writeQuery } from "../../../lake/tables/parquet-file.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair, probe } from "../load/load-with-repair.js";
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
    const loaded = new Map<GivenPage, LoadedPage>();
    const load = <T>(work: (bundle: PageBundle) => Promise<T>) =>
      loadWithRepair(deps, stream, pages, work, (page, seen) => loaded.set(page, seen));
    if (streams.includes(stream.name)) {
      const write = (bundle: PageBundle) =>
        writeQuery(deps.lake, stream.table, runId, bundleQuery(stream, bundle));
      await appendOnce(deps.lake, stream.table, appId, () => load(write));
      // A repetition finds the rows written, and has to know all the same what was cut out of them.
      if (loaded.size === 0) await load((bundle) => probe(deps, stream, bundle));
    }
    for (const page of pages) bad.push(...(await quarantinedRows(deps, page, loaded.get(page))));
  }
  return bad;
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
