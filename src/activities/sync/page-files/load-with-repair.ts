import { cancellationSignal } from "@temporalio/activity";
import { refusedAmong } from "../../../domain/sync/bisect.js";
import { addCleaned, Journal, readRecord } from "../../../lake/sync/journal/journal.js";
import type { CleanedPlaces, StagedRecord } from "../../../lake/sync/journal/record.js";
import { type AddPage, bundleQuery, type PageBundle, withBundle } from "../../../lake/sync/page-bundle.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { exactText, type RowProblem, readPage, rowsAt } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import type { Dependencies } from "../../dependencies.js";
import { breather } from "../../event-loop.js";
import { type LoadedPage, LostPageError, PageRefusedError, type PageToLoad } from "./page-to-load.js";

type Load<T> = (bundle: PageBundle, loaded: readonly LoadedPage[]) => Promise<T>;

/** Pages that are loaded together, and what a failed load has cut out of them. */
class PageLoad {
  /** What SQL reads in place of pages that it refused. */
  readonly #repaired = new Map<PageToLoad, CleanedPlaces>();

  constructor(
    private readonly deps: Dependencies,
    private readonly stream: Stream,
    private readonly journal: Journal,
  ) {}

  /** Bundles what SQL reads of each page: the clean page where there is one. */
  async bundled<T>(pages: readonly PageToLoad[], load: Load<T>): Promise<T> {
    const loaded: LoadedPage[] = [];
    const fill = async (add: AddPage) => {
      const breathe = breather();
      for (const page of pages) {
        await breathe();
        const { body, header } = await this.#record(page);
        const fetchedAt = new Date(header.at);
        const cleaned = page.entries === 0 ? undefined : (this.#repaired.get(page) ?? header.cleaned);
        loaded.push({ fetchedAt, cleaned });
        // Skips a page that only repeats the one before: its rows count once. SQL must find an empty page empty too.
        if (page.entries === 0 && readPage(this.stream, body).entries.some((count) => count > 0)) continue;
        const clean = cleaned && (await this.#record(page, cleaned.clean));
        add({ ...page, fetchedAt }, this.#readable(clean?.body ?? body));
      }
    };
    return withBundle(this.deps.lake, fill, (bundle) => load(bundle, loaded));
  }

  #readable(body: Buffer): Buffer {
    const { stream } = this;
    return stream.exactNumbers === undefined ? body : Buffer.from(exactText(stream, body.toString("utf8")));
  }

  async #record(page: PageToLoad, place = page.place): Promise<StagedRecord> {
    const record = await readRecord(this.deps.lake.store, page.runId, place);
    if (record === undefined) throw new LostPageError(page);
    return record;
  }

  async accepts(pages: readonly PageToLoad[]): Promise<boolean> {
    cancellationSignal().throwIfAborted();
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

  /** Cuts out rows that DuckDB is known to refuse; if it still refuses the page, also those that it refuses. */
  async repair(page: PageToLoad): Promise<void> {
    const { stream } = this;
    const reading = readPage(stream, (await this.#record(page)).body);
    const every: RowProblem[] = stream.lists.flatMap((list) =>
      rowsAt(reading.envelope, list).map((_, index) => {
        return { list: list.name, index, reason: "refused by SQL" };
      }),
    );
    const acceptsWithout = async (dropped: readonly RowProblem[]) => {
      this.#repaired.set(page, await addCleaned(this.journal, cleanPage(stream, reading, dropped)));
      return this.accepts([page]);
    };
    try {
      if (await acceptsWithout([])) return;
      const refused = await refusedAmong(every, (rows) =>
        acceptsWithout(every.filter((row) => !rows.includes(row))),
      );
      // Loads once more, because the last trial left out good rows too.
      await acceptsWithout(refused);
    } catch (error) {
      if (error instanceof EnvelopeError) throw new PageRefusedError(page, `schema ${error.message}`);
      throw error;
    }
  }
}

/**
 * Loads pages. If DuckDB refuses a page (a repeated key or a value of another kind aborts the whole statement), moves the
 * page's bad rows into quarantine and tries the load once more.
 *
 * @throws LostPageError when a page is not the one that was read; PageRefusedError when DuckDB refuses a page's envelope
 */
export async function loadWithRepair<T>(
  deps: Dependencies,
  stream: Stream,
  pages: readonly PageToLoad[],
  load: Load<T>,
): Promise<T> {
  const journal = new Journal(deps.lake.store, pages[0]?.runId ?? "", "repairs");
  const work = new PageLoad(deps, stream, journal);
  try {
    return await work.bundled(pages, load);
  } catch (error) {
    if (!refusesData(error)) throw error;
    const refused = await refusedAmong(pages, (some) => work.accepts(some));
    if (refused.length === 0) throw error;
    for (const page of refused) await work.repair(page);
    // A manifest will name what was cut out.
    await journal.persist();
    deps.log.warn(
      { stream: stream.name, pages: refused.length },
      "SQL refused pages; their bad rows were quarantined",
    );
    return await work.bundled(pages, load);
  } finally {
    await journal.close();
  }
}

/** Has SQL read a bundle, only to see whether it can. */
export async function probe({ lake }: Dependencies, stream: Stream, bundle: PageBundle): Promise<void> {
  if (bundle.origins.length === 0) return;
  const query = bundleQuery(stream, bundle);
  // Every value is read, and none kept.
  await lake.duckdb.exclusive((sql) => sql.few(`select bit_xor(hash(probe)) as read from (${query}) probe`));
}

/** Whether an error is about the data: a full disk, a lack of memory or a bug of ours must not cost rows. */
function refusesData(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|Conversion|Out of Range) Error/.test(error.message);
}
