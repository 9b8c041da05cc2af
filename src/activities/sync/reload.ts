import type { LinkProgress } from "../../domain/sync/link-progress.js";
import { fileKey, filePath } from "../../lake/delta/delta-path.js";
import { pageSha256 } from "../../lake/staging.js";
import { withPageHash } from "../../lake/sync/link-checkpoint.js";
import { transactionChanges } from "../../lake/tables/transactions.js";
import { transactionStream } from "../../streams/transactions.js";
import type { Dependencies } from "../dependencies.js";
import { breather } from "../event-loop.js";
import { type GroupPlan, type GroupRef, plannedLink } from "./group-plan.js";
import { type LoadManifest, loadPages, type ManifestFile, type ManifestPage } from "./load/load.js";

/** Thrown when pages that must be loaded once more are gone, or not those that were read: their link fails. */
export class LostPagesError extends Error {
  override readonly name = "LostPagesError";

  constructor(
    readonly link: number,
    readonly reason: "staged_page_gone" | "staged_page_torn",
  ) {
    super(`the staged pages of link ${link} can't be loaded once more: ${reason}`);
  }
}

/** What a commit finds of the files that were loaded for it. */
export interface LoadedFiles {
  /** By staged name; every file in them is there, whole. */
  readonly manifests: ReadonlyMap<string, LoadManifest>;
  /** Links whose rows are gone, with their pages, and the reason for each. */
  readonly lost: ReadonlyMap<number, string>;
}

/**
 * Reads the manifests of links that are to be committed. A file that has gone since it was loaded (another tool's
 * vacuum, a power cut) is made again from its pages, which are staged until the commit is in the history.
 */
export async function loadedFiles(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  links: readonly { readonly progress: LinkProgress; readonly manifests: readonly string[] }[],
): Promise<LoadedFiles> {
  const progress = new Map(links.map((link) => [link.progress.link, link.progress]));
  const lost = new Map<number, string>();
  const manifests = new Map<string, LoadManifest>();
  for (const name of new Set(links.flatMap((link) => link.manifests))) {
    const manifest = await deps.lake.staging.document<LoadManifest>(input.runId, name);
    const files: ManifestFile[] = [];
    for (const file of manifest.files) {
      files.push(
        (await isThere(deps, file)) ? file : await madeAgain(deps, input, plan, file, progress, lost),
      );
    }
    manifests.set(name, { files });
  }
  return { manifests, lost };
}

async function isThere({ lake }: Dependencies, { file }: ManifestFile): Promise<boolean> {
  if (file === undefined) return true;
  const key = fileKey(transactionChanges.name, filePath(file.path));
  return (await lake.store.stat(key))?.size === file.size;
}

async function madeAgain(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  { file, pages }: ManifestFile,
  progress: ReadonlyMap<number, LinkProgress>,
  lost: Map<number, string>,
): Promise<ManifestFile> {
  const wanted = pages.filter(({ link, attempt }) => progress.get(link)?.attempt === attempt);
  deps.log.warn({ file: file?.path, pages: wanted.length }, "a loaded file is gone and is made again");
  for (;;) {
    const kept = wanted.filter(({ link }) => !lost.has(link));
    if (kept.length === 0) return { pages: [] };
    try {
      return await reloadPages(deps, input, plan, kept, progress);
    } catch (error) {
      if (!(error instanceof LostPagesError)) throw error;
      lost.set(error.link, error.reason);
    }
  }
}

/**
 * Loads pages into one file of the feed once more. All pages of their links are first held against the hash of what
 * was read: nothing else would notice one that is gone or torn by now.
 *
 * @throws LostPagesError for the first link whose pages are not those that were read.
 */
export async function reloadPages(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  pages: readonly ManifestPage[],
  progress: ReadonlyMap<number, LinkProgress>,
): Promise<ManifestFile> {
  for (const link of new Set(pages.map((page) => page.link))) {
    const read = progress.get(link);
    if (read !== undefined) await checkPages(deps, input, plan, read);
  }
  return loadPages(deps, input, plan, pages);
}

async function checkPages(
  { lake }: Dependencies,
  { runId }: GroupRef,
  plan: GroupPlan,
  { link, attempt, pages, pagesSha256 }: LinkProgress,
): Promise<void> {
  const owner = plannedLink(plan, link).link_id;
  const breathe = breather();
  let sha256 = "";
  for (let page = 0; page < pages; page += 1) {
    await breathe();
    const name = { runId, stream: transactionStream.name, owner, attempt, page };
    const staged = await lake.staging.page(name);
    if (staged === undefined) throw new LostPagesError(link, "staged_page_gone");
    sha256 = withPageHash(sha256, pageSha256(staged.body));
  }
  if (sha256 !== pagesSha256) throw new LostPagesError(link, "staged_page_torn");
}
