import { loadFeedFile } from "../../../lake/sync/feed-file.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { loadWithRepair } from "./load-with-repair.js";
import type { ManifestFile, ManifestPage } from "./manifest.js";
import type { LoadedPage, PageToLoad } from "./page-to-load.js";

/** A page as it is given to loading, with its place in the manifest. */
interface GivenPage extends PageToLoad {
  readonly given: ManifestPage;
}

/**
 * Loads pages into one file of the feed; also again, without those of a link that lost its commit.
 *
 * @throws LostPageError, PageRefusedError for the first page that can't be loaded
 */
export async function loadPages(
  deps: Dependencies,
  runId: string,
  pages: readonly ManifestPage[],
): Promise<ManifestFile> {
  const loaded = new Map<ManifestPage, LoadedPage>();
  const file = await loadWithRepair(
    deps,
    transactionStream,
    pages.map((given): GivenPage => toLoad(runId, given)),
    (bundle) => loadFeedFile(deps.lake, transactionStream, runId, bundle),
    ({ given }, seen) => loaded.set(given, seen),
  );
  const named = pages.map((given): ManifestPage => {
    const { bad: _, fetched_at: __, ...page } = given;
    const { cleaned, fetchedAt } = loaded.get(given) ?? {};
    if (cleaned === undefined || fetchedAt === undefined) return page;
    return { ...page, bad: cleaned.bad, fetched_at: fetchedAt.toISOString() };
  });
  return file === undefined ? { pages: named } : { file, pages: named };
}

function toLoad(runId: string, given: ManifestPage): GivenPage {
  const { place, link_id: linkId, fp_id: fpId, generation, sequence_from: sequenceFrom, entries } = given;
  return { runId, place, linkId, fpId, generation, sequenceFrom, entries, given };
}

/** The link of a page that could not be loaded. */
export function linkOf(page: PageToLoad): string {
  return (page as GivenPage).given.link;
}
