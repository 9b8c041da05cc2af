import { mapConcurrent } from "../../domain/concurrent-work.js";
import { FAILURE_TYPES } from "../../domain/failures.js";
import type { AddFile, DeltaAction } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-path.js";
import { fileKey } from "./delta-path.js";

const DOWNLOADS_AT_ONCE = 32;

/** Gives local paths of a table's data files, in their order. @throws InputError where one is missing. */
export function localFiles(
  { store, table }: DeltaLocation,
  files: Iterable<{ readonly path: string }>,
): Promise<string[]> {
  return mapConcurrent(DOWNLOADS_AT_ONCE, [...files], ({ path }) => store.download(fileKey(table, path)));
}

/**
 * Thrown when a commit would add files that are missing or cut short: another tool's vacuum removed them, or a disk lost
 * them. Nothing was published; the step that wrote them writes them again.
 */
class MissingFilesError extends Error {
  override readonly name = FAILURE_TYPES.transient;

  constructor(
    readonly table: string,
    readonly paths: readonly string[],
  ) {
    super(
      `A commit adds ${paths[0]} to table ${table}, but the file is missing or cut short (one of ${paths.length} ` +
        "such files). Nothing of this commit was published; the files will be written again.",
    );
  }
}

/** Checks that every file that a commit adds is there. @throws MissingFilesError */
export async function assertFilesThere(
  location: Pick<DeltaLocation, "store" | "table">,
  actions: readonly DeltaAction[],
): Promise<void> {
  const added = actions.flatMap((action) => ("add" in action ? [action.add] : []));
  const missing = (await missingFiles(location, added)).map(({ path }) => path);
  if (missing.length > 0) throw new MissingFilesError(location.table, missing);
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
