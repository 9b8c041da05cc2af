import { DAY } from "../../../domain/duration.js";
import type { Link } from "../../../domain/sync/link.js";
import { placeKey } from "../../../domain/sync/place.js";
import { fileKey, filePath } from "../../../lake/delta/delta-path.js";
import type { ObjectEntry } from "../../../lake/store/object-store.js";
import type { FeedFile } from "../../../lake/sync/feed-file.js";
import { journalKey } from "../../../lake/sync/journal/journal.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import {
  type LoadManifest,
  loadPages,
  type ManifestFile,
  type ManifestPage,
  type PageRefusedError,
  type RefusedLinks,
} from "../page-files/load-pages.js";

/**
 * How long a loaded file may wait for its commit: days less than `maintain` leaves it, so it is there until the commit has
 * ended.
 */
const MOST_WAITING_MS = 3 * DAY;

export interface LoadedFiles {
  /** By the key of each link whose rows they hold. */
  readonly files: ReadonlyMap<string, readonly ManifestFile[]>;
  /** Why links fail whose rows and pages are gone, by key. */
  readonly lost: ReadonlyMap<string, string>;
}

/** Reads the manifests of links to commit. Makes a lost file, or one of days ago, again from staged pages. */
export async function loadedFiles(
  deps: Dependencies,
  runId: string,
  manifests: Iterable<string>,
  readings: readonly Link[],
): Promise<LoadedFiles> {
  const attempts = new Map(readings.map(({ link, progress }) => [placeKey(link), progress.attempt]));
  const isWanted = ({ link, attempt }: ManifestPage) => attempts.get(link) === attempt;
  const refused: RefusedLinks = new Map();
  const files = new Map<string, ManifestFile[]>();
  const listed: ManifestFile[] = [];
  for (const name of new Set(manifests)) {
    const manifest = await deps.lake.staging.document<LoadManifest>(runId, name);
    listed.push(...manifest.files.filter(({ pages }) => pages.some(isWanted)));
  }
  const gone = await goneFiles(deps, listed);
  for (const one of listed) {
    const isGone = one.file !== undefined && gone.has(one.file);
    const wanted = one.pages.filter(isWanted);
    if (isGone) {
      const fields = { file: one.file?.path, pages: wanted.length };
      deps.log.warn(fields, "a loaded file is gone or days old; it is made again from its staged pages");
    }
    const file = isGone ? await loadPages(deps, runId, wanted, refused) : one;
    for (const link of new Set(file.pages.filter(isWanted).map((page) => page.link))) {
      files.set(link, [...(files.get(link) ?? []), file]);
    }
  }
  return { files, lost: await reasonsOf(deps, runId, refused) };
}

async function goneFiles({ lake }: Dependencies, listed: readonly ManifestFile[]): Promise<Set<FeedFile>> {
  const files = listed.flatMap(({ file }) => file ?? []);
  const keys = files.map(({ path }) => fileKey(transactionChanges.name, filePath(path)));
  const found = await lake.store.stats(keys);
  const isThere = (size: number, entry: ObjectEntry | undefined) =>
    entry?.size === size && Date.now() - entry.modifiedAt.getTime() < MOST_WAITING_MS;
  return new Set(files.filter(({ size }, at) => !isThere(size, found[at])));
}

/** Says why each link fails that can't be loaded again. */
export async function reasonsOf(
  deps: Dependencies,
  runId: string,
  refused: RefusedLinks,
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const [key, error] of refused) reasons.set(key, await reasonOf(deps, runId, error));
  return reasons;
}

async function reasonOf(
  { lake }: Dependencies,
  runId: string,
  { page, reason }: PageRefusedError,
): Promise<string> {
  if (reason !== "lost") return reason;
  const isThere = (await lake.store.stat(journalKey(runId, page.place.journal))) !== undefined;
  return isThere ? "staged_page_torn" : "staged_page_gone";
}
