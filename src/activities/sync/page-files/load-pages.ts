import { cancellationSignal } from "@temporalio/activity";
import { loadFeedFile } from "../../../lake/sync/feed-file.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { loadWithRepair } from "./load-with-repair.js";
import type { ManifestFile, ManifestPage } from "./manifest.js";
import { LostPageError, PageRefusedError } from "./page-to-load.js";

/** Links with a page that is lost or can't be loaded, by key. */
export type RefusedLinks = Map<string, LostPageError | PageRefusedError>;

/** Loads pages into one file of the feed, without those of links that are `refused` or turn out to be. */
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
      const isOfLink = error instanceof LostPageError || error instanceof PageRefusedError;
      if (!isOfLink || error.page.link === undefined) throw error;
      refused.set(error.page.link, error);
    }
  }
}

async function loadAll(
  deps: Dependencies,
  runId: string,
  pages: readonly ManifestPage[],
): Promise<ManifestFile> {
  const toLoad = pages.map(({ link_id: linkId, fp_id: fpId, sequence_from: sequenceFrom, ...page }) => {
    return { ...page, runId, linkId, fpId, sequenceFrom };
  });
  return loadWithRepair(deps, transactionStream, toLoad, async (bundle, loaded) => {
    const file = await loadFeedFile(deps.lake, transactionStream, runId, bundle);
    const named = pages.map(({ bad: _, fetched_at: __, ...page }, index): ManifestPage => {
      const { cleaned, fetchedAt } = loaded[index] ?? {};
      if (cleaned === undefined || fetchedAt === undefined) return page;
      return { ...page, bad: cleaned.bad, fetched_at: fetchedAt.toISOString() };
    });
    return file === undefined ? { pages: named } : { file, pages: named };
  });
}
