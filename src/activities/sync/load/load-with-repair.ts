import { cancellationSignal } from "@temporalio/activity";
import { type PageName, pageSha256 } from "../../../lake/staging.js";
import { type AddPage, bundleQuery, type PageBundle, withBundle } from "../../../lake/sync/page-bundle.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { type RowProblem, readPage, rowsAt } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import type { Dependencies } from "../../dependencies.js";
import { breather } from "../../event-loop.js";

/** A staged page that is to be loaded. */
export interface PageToLoad {
  readonly name: PageName;
  readonly fpId: string;
  readonly linkId: string | null;
  readonly generation: number | null;
  readonly sequenceFrom: number | null;
  /** Entries that it adds, where that is known: none where it is empty, or repeats the page before. */
  readonly entries?: number;
}

/** A staged page as it is about to be loaded. */
export interface SeenPage {
  readonly sha256: string;
  readonly fetchedAt: Date;
  /** Whether its clean page is loaded in its stead. */
  readonly cleaned: boolean;
}

/** Sees each staged page before it is loaded; throws where it is not the page that was read. */
type SeePage<P> = (page: P, seen: SeenPage) => void;

/** Thrown when a page's envelope can't be loaded: its owner fails. */
export class PageRefusedError extends Error {
  override readonly name = "PageRefusedError";

  constructor(
    readonly page: PageToLoad,
    readonly reason: string,
  ) {
    super(`a page of ${page.name.stream} can't be loaded: ${reason}`);
  }
}

/** Bundles what SQL reads of each page: the clean page where there is one, the staged file's time in any case. */
async function bundled<P extends PageToLoad, T>(
  deps: Dependencies,
  stream: Stream,
  pages: readonly P[],
  work: (bundle: PageBundle) => Promise<T>,
  see?: SeePage<P>,
): Promise<T> {
  const { staging } = deps.lake;
  const fill = async (add: AddPage) => {
    let room = Buffer.alloc(0);
    const recycled = (bytes: number) => {
      if (bytes > room.length) room = Buffer.allocUnsafe(bytes);
      return room;
    };
    const breathe = breather();
    for (const page of pages) {
      await breathe();
      const { name, entries, ...origin } = page;
      const staged = await staging.requirePage(name, recycled);
      const sha256 = pageSha256(staged.body);
      const { fetchedAt } = staged;
      const clean = entries === 0 ? undefined : await staging.cleanPage(name, sha256);
      see?.(page, { sha256, fetchedAt, cleaned: clean !== undefined });
      // SQL must find an empty page empty too; one that repeats the page before has rows, which count once.
      if (entries === 0 && readPage(stream, staged.body).entries.some((count) => count > 0)) continue;
      add({ ...origin, runId: name.runId, fetchedAt }, clean ?? staged.body);
    }
  };
  return withBundle(deps.lake, fill, work);
}

/**
 * Loads pages; when DuckDB refuses one of them (a repeated key, a value of another kind: any one aborts the
 * whole statement), its bad rows are cut out into quarantine and the load is tried once more.
 *
 * @throws PageRefusedError when a page's envelope itself is what DuckDB refuses.
 */
export async function loadWithRepair<P extends PageToLoad, T>(
  deps: Dependencies,
  stream: Stream,
  pages: readonly P[],
  load: (bundle: PageBundle) => Promise<T>,
  see?: SeePage<P>,
): Promise<T> {
  try {
    return await bundled(deps, stream, pages, load, see);
  } catch (error) {
    if (!refusesData(error)) throw error;
    let repaired = 0;
    for (const page of pages) {
      cancellationSignal().throwIfAborted();
      if (await accepts(deps, stream, page)) continue;
      await repair(deps, stream, page);
      repaired += 1;
    }
    if (repaired === 0) throw error;
    deps.log.warn(
      { stream: stream.name, pages: repaired },
      "SQL refused pages; their bad rows were quarantined",
    );
    return bundled(deps, stream, pages, load, see);
  }
}

/** Only what is in the pages may cost rows; a full disk, memory or a mistake of ours never does. */
function refusesData(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|Conversion|Out of Range) Error/.test(error.message);
}

async function accepts(deps: Dependencies, stream: Stream, page: PageToLoad): Promise<boolean> {
  return bundled(deps, stream, [page], async (bundle) => {
    if (bundle.origins.length === 0) return true;
    return deps.lake.duckdb.exclusive(async (sql) => {
      try {
        await sql.run(`create or replace temp table probe as ${bundleQuery(stream, bundle)}`);
        return true;
      } catch (error) {
        if (!refusesData(error)) throw error;
        return false;
      }
    });
  });
}

/** First what we know DuckDB to refuse; then, should it still refuse the page, by halves down to single rows. */
async function repair(deps: Dependencies, stream: Stream, page: PageToLoad): Promise<void> {
  const staged = await deps.lake.staging.requirePage(page.name);
  const sha256 = pageSha256(staged.body);
  const reading = readPage(stream, staged.body);
  const every: RowProblem[] = stream.lists.flatMap((list) =>
    rowsAt(reading.envelope, list).map((_, index) => ({ list: list.name, index, reason: "refused by SQL" })),
  );
  const acceptsWithout = async (dropped: readonly RowProblem[]) => {
    cancellationSignal().throwIfAborted();
    await deps.lake.staging.putCleanPage(page.name, sha256, cleanPage(stream, reading, dropped));
    return accepts(deps, stream, page);
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
