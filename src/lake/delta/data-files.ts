import { mapConcurrent } from "../../domain/concurrent-work.js";
import { PassingError } from "../../domain/failures.js";

import { fileSha256 } from "../store/local/local-store-files.js";
import { type AddFile, type DeltaAction, SHA256_TAG } from "./delta-actions.js";
import { type DeltaLocation, fileKey } from "./delta-path.js";

const DOWNLOADS_AT_ONCE = 32;

/** Gives local paths of a table's data files, in their order. @throws InputError where one is missing. */
export function localFiles(
  { store, table }: DeltaLocation,
  files: Iterable<{ readonly path: string }>,
): Promise<string[]> {
  return mapConcurrent(DOWNLOADS_AT_ONCE, [...files], ({ path }) => store.download(fileKey(table, path)));
}

/**
 * Checks that every file that a commit adds is there.
 * @throws PassingError where another tool's vacuum removed one, or a disk lost it: the step that wrote it writes it again.
 */
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

/** Finds those of a table's files that are missing, or whose size is not the one in the log. */
export async function missingFiles(
  { store, table }: Pick<DeltaLocation, "store" | "table">,
  files: Iterable<AddFile>,
): Promise<AddFile[]> {
  const named = [...files];
  const found = await store.stats(named.map(({ path }) => fileKey(table, path)));
  return named.filter(({ size }, at) => found[at]?.size !== size);
}

const HASHED_AT_ONCE = 2;

/** Finds those of a table's files whose bytes are not those of the sha256 in the log, of which files of other tools have none. */
export async function changedFiles(location: DeltaLocation, files: Iterable<AddFile>): Promise<AddFile[]> {
  const hashed = [...files].filter(({ tags }) => tags?.[SHA256_TAG] !== undefined);
  const changed = await mapConcurrent(HASHED_AT_ONCE, hashed, async (file) => {
    const [path = ""] = await localFiles(location, [file]);
    return (await fileSha256(path)) === file.tags?.[SHA256_TAG] ? [] : [file];
  });
  return changed.flat();
}
