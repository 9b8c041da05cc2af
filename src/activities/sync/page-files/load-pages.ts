import { cancellationSignal } from "@temporalio/activity";
import type { Place } from "../../../domain/sync/place.js";
import { type FeedFile, loadFeedFile } from "../../../lake/sync/feed-file.js";
import {
  addCleaned,
  type CleanedPlaces,
  Journal,
  readRecord,
  type StagedRecord,
} from "../../../lake/sync/journal/journal.js";
import {
  type AddPage,
  bundleQuery,
  type PageBundle,
  type PageOrigin,
  withBundle,
} from "../../../lake/sync/page-bundle.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { exactText, type RowProblem, readPage, rowsAt } from "../../../streams/page-reading.js";
import { EnvelopeError } from "../../../streams/raw-json.js";
import type { Stream } from "../../../streams/stream.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { yieldEvery } from "../../event-loop.js";

interface PageToLoad extends Omit<PageOrigin, "run_id" | "fetchedAt"> {
  readonly place: Place;
  /** 0 where it is empty or repeats the one before; left out where nobody knows. */
  readonly entries?: number;
  /** Left out of a page of a user. */
  readonly link?: string;
}

export interface ManifestPage extends PageToLoad {
  readonly link: string;
  readonly attempt: number;
  readonly link_id: string;
  readonly generation: number;
  readonly sequence_from: number;
  readonly entries: number;
  /** Of a page whose clean page was loaded. */
  readonly bad?: Place;
  readonly fetched_at?: string;
}

/** A file of the feed that no commit names yet. */
export interface ManifestFile {
  /** Undefined without rows. */
  readonly file?: FeedFile;
  readonly pages: readonly ManifestPage[];
}

export interface LoadManifest {
  readonly files: readonly ManifestFile[];
}

export interface LoadedPage {
  readonly fetchedAt: Date;
  readonly cleaned: CleanedPlaces | undefined;
}

/** Thrown when a page can't be loaded: its owner fails, or begins again where the page is "lost". */
export class PageRefusedError extends Error {
  override readonly name = "PageRefusedError";

  constructor(
    readonly page: PageToLoad,
    readonly reason: string,
  ) {
    super(`a page of ${page.link_id ?? page.fp_id} can't be loaded: ${reason}`);
  }
}

type Load<T> = (bundle: PageBundle, loaded: readonly LoadedPage[]) => Promise<T>;

class PageLoad {
  readonly #repaired = new Map<PageToLoad, CleanedPlaces>();

  constructor(
    private readonly deps: Dependencies,
    private readonly runId: string,
    private readonly stream: Stream,
    private readonly journal: Journal,
  ) {}

  /** Bundles the clean page where there is one. */
  async bundled<T>(pages: readonly PageToLoad[], load: Load<T>): Promise<T> {
    const loaded: LoadedPage[] = [];
    const fill = async (add: AddPage) => {
      const mayYield = yieldEvery();
      for (const page of pages) {
        await mayYield();
        const { body, header } = await this.#record(page);
        const fetchedAt = new Date(header.at);
        const cleaned = page.entries === 0 ? undefined : (this.#repaired.get(page) ?? header.cleaned);
        loaded.push({ fetchedAt, cleaned });
        // A page that repeats the one before adds nothing. SQL must find an empty page empty too.
        if (page.entries === 0 && readPage(this.stream, body).entries.some((count) => count > 0)) continue;
        const clean = cleaned && (await this.#record(page, cleaned.clean));
        add({ ...page, run_id: this.runId, fetchedAt }, this.#readable(clean?.body ?? body));
      }
    };
    return withBundle(this.deps.lake, fill, (bundle) => load(bundle, loaded));
  }

  #readable(body: Buffer): Buffer {
    const { stream } = this;
    // Amounts that were numbers are texts in a clean page.
    if (stream.exactNumbers !== "by value") return body;
    return Buffer.from(exactText(stream, body.toString("utf8")));
  }

  async #record(page: PageToLoad, place = page.place): Promise<StagedRecord> {
    const record = await readRecord(this.deps.lake.store, this.runId, place);
    if (record === undefined) throw new PageRefusedError(page, "lost");
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

  /** Cuts out rows that DuckDB is known to refuse; if it still refuses the page, those that it refuses. */
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
      // The last trial left out good rows too.
      await acceptsWithout(refused);
    } catch (error) {
      if (error instanceof EnvelopeError) throw new PageRefusedError(page, `schema ${error.message}`);
      throw error;
    }
  }
}

/**
 * If DuckDB refuses a page, moves its bad rows into quarantine and loads once more.
 * @throws PageRefusedError where a page is lost, or DuckDB refuses its envelope
 */
export async function loadWithRepair<T>(
  deps: Dependencies,
  runId: string,
  stream: Stream,
  pages: readonly PageToLoad[],
  load: Load<T>,
): Promise<T> {
  const journal = new Journal(deps.lake.store, runId, "repairs");
  const work = new PageLoad(deps, runId, stream, journal);
  try {
    return await work.bundled(pages, load);
  } catch (error) {
    if (!refusesData(error)) throw error;
    const refused = await refusedAmong(pages, (some) => work.accepts(some));
    if (refused.length === 0) throw error;
    for (const page of refused) await work.repair(page);
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
  await lake.duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select bit_xor(hash(probe)) as read from (${query}) probe`),
  );
}

/** A full disk, a lack of memory or a bug of ours must not cost rows. */
function refusesData(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|Conversion|Out of Range) Error/.test(error.message);
}

export type RefusedLinks = Map<string, PageRefusedError>;

/** Loads one file of the feed, without links that are `refused` or turn out to be. */
export async function loadPages(
  deps: Dependencies,
  runId: string,
  pages: readonly ManifestPage[],
  refused: RefusedLinks,
): Promise<ManifestFile> {
  for (;;) {
    cancellationSignal().throwIfAborted();
    const kept = pages.filter(({ link }) => !refused.has(link));
    if (kept.length === 0) return { pages: [] };
    try {
      return await loadAll(deps, runId, kept);
    } catch (error) {
      if (!(error instanceof PageRefusedError) || error.page.link === undefined) throw error;
      refused.set(error.page.link, error);
    }
  }
}

async function loadAll(
  deps: Dependencies,
  runId: string,
  pages: readonly ManifestPage[],
): Promise<ManifestFile> {
  return loadWithRepair(deps, runId, transactionStream, pages, async (bundle, loaded) => {
    const file = await loadFeedFile(deps.lake, transactionStream, runId, bundle);
    const named = pages.map(({ bad: _, fetched_at: __, ...page }, index): ManifestPage => {
      const { cleaned, fetchedAt } = loaded[index] ?? {};
      if (cleaned === undefined || fetchedAt === undefined) return page;
      return { ...page, bad: cleaned.bad, fetched_at: fetchedAt.toISOString() };
    });
    return file === undefined ? { pages: named } : { file, pages: named };
  });
}

/** Halves the items: one bad item among thousands costs a dozen tries. */
export async function refusedAmong<T>(
  items: readonly T[],
  accepts: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  if (items.length === 0 || (await accepts(items))) return [];
  if (items.length === 1) return items;
  const middle = Math.ceil(items.length / 2);
  const first = await refusedAmong(items.slice(0, middle), accepts);
  return [...first, ...(await refusedAmong(items.slice(middle), accepts))];
}
