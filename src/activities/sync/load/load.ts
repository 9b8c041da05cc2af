import { randomUUID } from "node:crypto";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import type { LinkToLoad } from "../../../domain/sync/run/links.js";
import type { LoadResult } from "../../../domain/sync/run/publication.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import {
  type FoundLink,
  generationOf,
  linkBase,
  type SliceReport,
  withFound,
} from "../../../lake/sync/journal/report.js";
import type { Dependencies } from "../../dependencies.js";
import {
  type LoadManifest,
  LostPageError,
  loadPages,
  type ManifestFile,
  type ManifestPage,
  type PageRefusedError,
  type RefusedLinks,
} from "../page-files/load-pages.js";

/** Pages and bytes of one SQL statement (docs/inside/rules.md, "Load"). */
const STATEMENT_PAGES = 2_000;
const STATEMENT_BYTES = 10 * 1024 * 1024;
/** While SQL turns one batch into a file, the next one is read and bundled, and the previous one is stored. */
const BATCHES_AT_ONCE = 3;

interface LoadInput {
  readonly runId: string;
  readonly reports: readonly Place[];
  readonly links: readonly LinkToLoad[];
}

/** Turns staged pages into files of the feed; nothing refers to them until they are committed. */
export async function load(deps: Dependencies, input: LoadInput): Promise<LoadResult> {
  const { runId } = input;
  const links = await linksOf(deps, input);
  const refused: RefusedLinks = new Map();
  const files = await mapConcurrent(BATCHES_AT_ONCE, batchesOf(links), (batch) =>
    loadPages(deps, runId, batch, refused),
  );
  const manifest = `load-${randomUUID()}`;
  const kept = await withoutRefused(deps, runId, files, refused);
  await deps.lake.staging.putDocument(runId, manifest, { files: kept } satisfies LoadManifest);
  const results = links.flatMap(({ link, found, progress }) => {
    const error = refused.get(placeKey(link));
    return error ? [{ link, base: linkBase(found), progress, outcome: outcomeOf(error) }] : [];
  });
  return { manifest, refused: results };
}

interface FoundLinkToLoad extends LinkToLoad {
  readonly found: FoundLink;
}

async function linksOf(
  { lake: { store } }: Dependencies,
  { runId, reports, links }: LoadInput,
): Promise<FoundLinkToLoad[]> {
  const all = [...links];
  for (const place of reports) {
    const { finished } = await readValue<SliceReport>(store, runId, place);
    all.push(...finished.map((link) => ({ ...link, complete: true })));
  }
  return withFound(store, runId, all);
}

/** Makes files again that hold rows of links that were refused later, without those links. */
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
  // Making one again may lead to the refusal of another link.
  return kept.some(isMixed) ? withoutRefused(deps, runId, kept, refused) : kept;
}

function outcomeOf(error: LostPageError | PageRefusedError): LinkOutcome {
  return error instanceof LostPageError ? { kind: "torn" } : { kind: "broken", reason: error.reason };
}

/** The pages of each statement. Complete links share files; each link that is still being read has files of its own. */
function batchesOf(links: readonly FoundLinkToLoad[]): ManifestPage[][] {
  const own = links.filter(({ complete }) => !complete).map((link) => statementsOf(pagesOf(link)));
  const shared = links.filter(({ complete }) => complete).flatMap(pagesOf);
  return [...own.flat(), ...statementsOf(shared)];
}

function pagesOf({ link, progress, found }: FoundLinkToLoad): ManifestPage[] {
  const { link_id, fp_id, external_id, base } = found;
  const owner = { fp_id, ...(external_id !== null && { external_id }) };
  const generation = generationOf(found, progress);
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

/** Cuts pages into statements. Of two readings of a link only one is committed, so each has a file of its own. */
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
