import { cancellationSignal } from "@temporalio/activity";
import { addCleaned, Journal, readRecord } from "../../../lake/sync/journal/journal.js";
import type { CleanedPlaces, StagedRecord } from "../../../lake/sync/journal/record.js";
import { type AddPage, bundleQuery, type PageBundle, withBundle } from "../../../lake/sync/page-bundle.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { type RowProblem, readPage, rowsAt } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import type { Dependencies } from "../../dependencies.js";
import { breather } from "../../event-loop.js";
import { type LoadedPage, LostPageError, PageRefusedError, type PageToLoad } from "./page-to-load.js";

/** Pages that are loaded together, and what a failed load has cut out of them. */
class PageLoad<P extends PageToLoad> {
  /** What is loaded in the stead of pages that SQL refused. */
  readonly repaired = new Map<P, CleanedPlaces>();

  constructor(
    private readonly deps: Dependencies,
    private readonly stream: Stream,
    private readonly journal: () => Journal,
  ) {}

  async record(page: P): Promise<StagedRecord> {
    const record = await readRecord(this.deps.lake.store, page.runId, page.place);
    if (record === undefined) throw new LostPageError(page);
    return record;
  }

  /** Bundles what SQL reads of each page: the clean page where there is one, the staged page's time in any case. */
  async bundled<T>(
    pages: readonly P[],
    work: (bundle: PageBundle) => Promise<T>,
    see?: (page: P, loaded: LoadedPage) => void,
  ): Promise<T> {
    const fill = async (add: AddPage) => {
      const breathe = breather();
      for (const page of pages) {
        await breathe();
        const { place: _, entries, ...origin } = page;
        const { body, header } = await this.record(page);
        const fetchedAt = new Date(header.at);
        const cleaned = entries === 0 ? undefined : (this.repaired.get(page) ?? header.cleaned);
        see?.(page, { fetchedAt, cleaned });
        // SQL must find an empty page empty too; one that repeats the page before has rows, which count once.
        if (entries === 0 && readPage(this.stream, body).entries.some((count) => count > 0)) continue;
        const clean = cleaned && (await readRecord(this.deps.lake.store, page.runId, cleaned.clean));
        if (cleaned !== undefined && clean === undefined) throw new LostPageError(page);
        add({ ...origin, fetchedAt }, clean?.body ?? body);
      }
    };
    return withBundle(this.deps.lake, fill, work);
  }

  /** Those of some pages that SQL refuses, by halves: one bad page among thousands costs a dozen looks. */
  async refused(pages: readonly P[]): Promise<readonly P[]> {
    cancellationSignal().throwIfAborted();
    if (pages.length === 0 || (await this.#accepts(pages))) return [];
    if (pages.length === 1) return pages;
    const middle = Math.ceil(pages.length / 2);
    const first = await this.refused(pages.slice(0, middle));
    return [...first, ...(await this.refused(pages.slice(middle)))];
  }

  async #accepts(pages: readonly P[]): Promise<boolean> {
    return this.bundled(pages, async (bundle) => {
      try {
        await probe(this.deps, this.stream, bundle);
        return true;
      } catch (error) {
        if (!refusesData(error)) throw error;
        return false;
      }
    });
  }

  /** First what we know DuckDB to refuse; then, should it still refuse the page, by halves down to single rows. */
  async repair(page: P): Promise<void> {
    const { stream } = this;
    const reading = readPage(stream, (await this.record(page)).body);
    const every: RowProblem[] = stream.lists.flatMap((list) =>
      rowsAt(reading.envelope, list).map((_, index) => ({
        list: list.name,
        index,
        reason: "refused by SQL",
      })),
    );
    const acceptsWithout = async (dropped: readonly RowProblem[]) => {
      cancellationSignal().throwIfAborted();
      this.repaired.set(page, await addCleaned(this.journal(), cleanPage(stream, reading, dropped)));
      return this.#accepts([page]);
    };
    const refusedAmong = async (rows: readonly RowProblem[]): Promise<readonly RowProblem[]> => {
      const others = every.filter((row) => !rows.includes(row));
      if (rows.length === 0 || (await acceptsWithout(others))) return [];
      if (rows.length === 1) return rows;
      const middle = Math.ceil(rows.length / 2);
      const first = await refusedAmong(rows.slice(0, middle));
      return [...first, ...(await refusedAmong(rows.slice(middle)))];
    };
    try {
      if (await acceptsWithout([])) return;
      await acceptsWithout(await refusedAmong(every));
    } catch (error) {
      if (error instanceof EnvelopeError) throw new PageRefusedError(page, `schema ${error.message}`);
      throw error;
    }
  }
}

/**
 * Loads pages; when DuckDB refuses one of them (a repeated key, a value of another kind: any one aborts the
 * whole statement), its bad rows are cut out into quarantine and the load is tried once more.
 *
 * @param see sees each page as it is loaded
 * @throws LostPageError when a page is not the one that was read; PageRefusedError when a page's envelope itself is
 * what DuckDB refuses.
 */
export async function loadWithRepair<P extends PageToLoad, T>(
  deps: Dependencies,
  stream: Stream,
  pages: readonly P[],
  load: (bundle: PageBundle) => Promise<T>,
  see?: (page: P, loaded: LoadedPage) => void,
): Promise<T> {
  let journal: Journal | undefined;
  const runId = pages[0]?.runId ?? "";
  const work = new PageLoad<P>(deps, stream, () => {
    journal ??= new Journal(deps.lake.store, runId, "repairs");
    return journal;
  });
  try {
    return await work.bundled(pages, load, see);
  } catch (error) {
    if (!refusesData(error)) throw error;
    const refused = await work.refused(pages);
    if (refused.length === 0) throw error;
    for (const page of refused) await work.repair(page);
    // A manifest will name what was cut out.
    await journal?.persist();
    deps.log.warn(
      { stream: stream.name, pages: refused.length },
      "SQL refused pages; their bad rows were quarantined",
    );
    return await work.bundled(pages, load, see);
  } finally {
    await journal?.close();
  }
}

/** Has SQL read a bundle, for nothing but to see whether it does. */
export async function probe({ lake }: Dependencies, stream: Stream, bundle: PageBundle): Promise<void> {
  if (bundle.origins.length === 0) return;
  const query = bundleQuery(stream, bundle);
  await lake.duckdb.exclusive((sql) => sql.run(`create or replace temp table probe as ${query}`));
}

/** Only what is in the pages may cost rows; a full disk, memory or a mistake of ours never does. */
function refusesData(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|Conversion|Out of Range) Error/.test(error.message);
}
