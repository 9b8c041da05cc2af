import { placeKey } from "../../../domain/sync/place.js";
import { fileKey, filePath } from "../../../lake/delta/delta-path.js";
import { journalKey } from "../../../lake/sync/journal/journal.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { linkOf, loadPages } from "../load/load-pages.js";
import type { LoadManifest, ManifestFile, ManifestPage } from "../load/manifest.js";
import { LostPageError } from "../load/page-to-load.js";
import type { CompleteLink } from "./complete-links.js";

/** What a commit finds of the files that were loaded for it. */
export interface LoadedFiles {
  /** The files that hold rows of each link, by its key; every file is there, whole. */
  readonly files: ReadonlyMap<string, readonly ManifestFile[]>;
  /** Links whose rows are gone, with their pages, and the reason for each. */
  readonly lost: ReadonlyMap<string, string>;
}

/**
 * Reads the manifests of links that are to be committed. A file that has gone since it was loaded (another tool's
 * vacuum, a power cut) is made again from its pages, which are staged until the commit is in the history.
 */
export async function loadedFiles(
  deps: Dependencies,
  runId: string,
  manifests: Iterable<string>,
  links: readonly CompleteLink[],
): Promise<LoadedFiles> {
  const attempts = new Map(links.map(({ link, progress }) => [placeKey(link), progress.attempt]));
  const isWanted = ({ link, attempt }: ManifestPage) => attempts.get(link) === attempt;
  const lost = new Map<string, string>();
  const files = new Map<string, ManifestFile[]>();
  for (const name of new Set(manifests)) {
    const manifest = await deps.lake.staging.document<LoadManifest>(runId, name);
    for (const listed of manifest.files) {
      const wanted = listed.pages.filter(isWanted);
      if (wanted.length === 0) continue;
      const file = (await isThere(deps, listed))
        ? listed
        : await madeAgain(deps, runId, listed, wanted, lost);
      for (const link of new Set(file.pages.filter(isWanted).map((page) => page.link))) {
        files.set(link, [...(files.get(link) ?? []), file]);
      }
    }
  }
  return { files, lost };
}

async function isThere({ lake }: Dependencies, { file }: ManifestFile): Promise<boolean> {
  if (file === undefined) return true;
  const key = fileKey(transactionChanges.name, filePath(file.path));
  return (await lake.store.stat(key))?.size === file.size;
}

async function madeAgain(
  deps: Dependencies,
  runId: string,
  { file }: ManifestFile,
  wanted: readonly ManifestPage[],
  lost: Map<string, string>,
): Promise<ManifestFile> {
  deps.log.warn({ file: file?.path, pages: wanted.length }, "a loaded file is gone and is made again");
  for (;;) {
    const kept = wanted.filter(({ link }) => !lost.has(link));
    if (kept.length === 0) return { pages: [] };
    try {
      return await loadPages(deps, runId, kept);
    } catch (error) {
      if (!(error instanceof LostPageError)) throw error;
      lost.set(linkOf(error.page), await lostReason(deps, error));
    }
  }
}

/** Why a link fails whose rows and pages are lost. */
export async function lostReason({ lake }: Dependencies, { page }: LostPageError): Promise<string> {
  const { runId, place } = page;
  const isThere = (await lake.store.stat(journalKey(runId, place.journal))) !== undefined;
  return isThere ? "staged_page_torn" : "staged_page_gone";
}
