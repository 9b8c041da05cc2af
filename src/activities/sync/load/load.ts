import { randomUUID } from "node:crypto";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { generationOf, type Link, type Recorded } from "../../../domain/sync/link.js";
import { afterOutcome } from "../../../domain/sync/link-reading.js";
import { placeKey } from "../../../domain/sync/place.js";
import type { LoadResult } from "../../../domain/sync/run/publication.js";
import type { ToLoad } from "../../../domain/sync/run/sync-state.js";
import { linksToPublish } from "../../../lake/sync/journal/report.js";
import type { Dependencies } from "../../dependencies.js";
import {
  type LoadManifest,
  loadPages,
  type ManifestFile,
  type ManifestPage,
  type RefusedLinks,
} from "../page-files/load-pages.js";

/** Of one SQL statement (docs/inside/rules.md, "Load"). */
const STATEMENT_PAGES = 2_000;
const STATEMENT_BYTES = 10 * 1024 * 1024;
/** One batch is read and bundled, one is in SQL, one is being stored. */
const BATCHES_AT_ONCE = 3;

interface LoadInput extends ToLoad {
  readonly runId: string;
}

/** Turns staged pages into files of the feed; nothing refers to them until they are committed. */
export async function load(deps: Dependencies, input: LoadInput): Promise<LoadResult> {
  const { runId } = input;
  const reports = input.reports.map((report) => ({ report }));
  const links = await linksToPublish(deps.lake.store, runId, input.links, reports);
  const refused: RefusedLinks = new Map();
  const files = await mapConcurrent(BATCHES_AT_ONCE, batchesOf(links), (batch) =>
    loadPages(deps, runId, batch, refused),
  );
  const manifest = `load-${randomUUID()}`;
  const kept = await withoutRefused(deps, runId, files, refused);
  await deps.lake.staging.putDocument(runId, manifest, { files: kept } satisfies LoadManifest);
  const left = links.flatMap(({ link, record, progress }): Link[] => {
    const error = refused.get(placeKey(link));
    if (error === undefined) return [];
    const { reason } = error;
    const outcome = reason === "lost" ? ({ kind: "torn" } as const) : ({ kind: "broken", reason } as const);
    return [{ link, ...afterOutcome(progress, record, outcome, progress.size, Date.now(), Math.random()) }];
  });
  return { manifest, refused: left };
}

/** Makes files again that hold rows of links that were refused later. */
async function withoutRefused(
  deps: Dependencies,
  runId: string,
  files: readonly ManifestFile[],
  refused: RefusedLinks,
): Promise<ManifestFile[]> {
  const kept: ManifestFile[] = [];
  const isMixed = ({ pages }: ManifestFile) => pages.some(({ link }) => refused.has(link));
  for (const file of files)
    kept.push(isMixed(file) ? await loadPages(deps, runId, file.pages, refused) : file);
  // That may refuse another link.
  return kept.some(isMixed) ? withoutRefused(deps, runId, kept, refused) : kept;
}

/** Links all of whose pages are here share files; each other link has files of its own. */
function batchesOf(links: readonly (Link & Recorded)[]): ManifestPage[][] {
  const isWhole = ({ stage, progress }: Link) => stage === "read" && progress.loaded.pages === 0;
  const own = links.filter((link) => !isWhole(link)).map((link) => statementsOf(pagesOf(link)));
  const shared = links.filter(isWhole).flatMap(pagesOf);
  return [...own.flat(), ...statementsOf(shared)];
}

function pagesOf({ link, progress, record }: Link & Recorded): ManifestPage[] {
  const { link_id, fp_id, external_id, base } = record;
  const owner = { fp_id, ...(external_id !== null && { external_id }) };
  const generation = generationOf(record, progress);
  let sequence = (base?.next_sequence ?? 1) + progress.loaded.entries;
  return progress.staged.map(({ entries, ...place }, at) => {
    const { attempt } = progress;
    const page = progress.loaded.pages + at;
    const placed = { link: placeKey(link), attempt, page, place, link_id, ...owner, generation };
    const first = sequence;
    sequence += entries;
    return { ...placed, sequence_from: first, entries };
  });
}

/** Of two readings of a link only one is committed, so each has a file of its own. */
function statementsOf(pages: readonly ManifestPage[]): ManifestPage[][] {
  const statements: ManifestPage[][] = [];
  let readings = new Map<string, string>();
  let bytes = 0;
  for (const page of pages) {
    bytes += page.place.bytes;
    const open = statements.at(-1);
    const isOther = (readings.get(page.link_id) ?? page.link) !== page.link;
    if (open !== undefined && !isOther && bytes <= STATEMENT_BYTES && open.length < STATEMENT_PAGES) {
      open.push(page);
    } else {
      statements.push([page]);
      readings = new Map();
      bytes = page.place.bytes;
    }
    readings.set(page.link_id, page.link);
  }
  return statements;
}
