import { mapConcurrent } from "../../domain/concurrent-work.js";
import { PassingError } from "../../domain/failures.js";

import { fileSha256 } from "../store/local/local-store-files.js";
import { type AddFile, type DeltaAction, SHA256_TAG } from "./delta-actions.js";
import { type DeltaLocation, fileKey } from "./delta-path.js";

const DOWNLOADS_AT_ONCE = 32;

/** Local paths of data files, in order. @throws InputError where one is missing */
export function localFiles(
  { store, table }: DeltaLocation,
  files: Iterable<{ readonly path: string }>,
): Promise<string[]> {
  return mapConcurrent(DOWNLOADS_AT_ONCE, [...files], ({ path }) => store.download(fileKey(table, path)));
}

/** @throws PassingError where a file to be added is gone: the step that wrote it writes it again */
export async function assertFilesThere(
  location: Pick<DeltaLocation, "store" | "table">,
  actions: readonly DeltaAction[],
): Promise<void> {
  const added = actions.flatMap((action) => ("add" in action ? [action.add] : []));
  const [first, ...others] = await missingFiles(location, added);
  if (first === undefined) return;
  throw new PassingError(
    `A commit adds ${first.path} to table ${location.table}, but the file is missing or cut short (one of ${others.length + 1} ` +
      "such files). Nothing of this commit was published; the files will be written again.",
  );
}

/** Files that are missing, or have another size than in the log. */
export async function missingFiles(
  { store, table }: Pick<DeltaLocation, "store" | "table">,
  files: Iterable<AddFile>,
): Promise<AddFile[]> {
  const named = [...files];
  const found = await store.stats(named.map(({ path }) => fileKey(table, path)));
  return named.filter(({ size }, at) => found[at]?.size !== size);
}

const HASHED_AT_ONCE = 2;

/** Files whose bytes don't match the log's sha256, which files of other tools lack. */
export async function changedFiles(location: DeltaLocation, files: Iterable<AddFile>): Promise<AddFile[]> {
  const hashed = [...files].filter(({ tags }) => tags?.[SHA256_TAG] !== undefined);
  const changed = await mapConcurrent(HASHED_AT_ONCE, hashed, async (file) => {
    const [path = ""] = await localFiles(location, [file]);
    return (await fileSha256(path)) === file.tags?.[SHA256_TAG] ? [] : [file];
  });
  return changed.flat();
}
