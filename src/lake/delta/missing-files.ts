import { FAILURE_TYPES } from "../../domain/failures.js";
import type { AddFile, DeltaAction } from "./delta-actions.js";
import type { DeltaLocation } from "./delta-location.js";
import { fileKey } from "./delta-path.js";

/**
 * Thrown when a commit would add files that are not there, or not whole: another tool's vacuum took them, or a disk
 * lost them. Nothing was published; whoever wrote them writes them again.
 */
class MissingFilesError extends Error {
  override readonly name = FAILURE_TYPES.transient;

  constructor(
    readonly table: string,
    readonly paths: readonly string[],
  ) {
    super(
      `A commit adds ${paths[0]} to table ${table}, which is missing or cut short (one of ${paths.length} such files). ` +
        "Nothing of this commit was published; the files are written again.",
    );
  }
}

/** Holds every file that a commit adds against the store. @throws MissingFilesError */
export async function assertFilesThere(
  location: Pick<DeltaLocation, "store" | "table">,
  actions: readonly DeltaAction[],
): Promise<void> {
  const added = actions.flatMap((action) => ("add" in action ? [action.add] : []));
  const missing = (await missingFiles(location, added)).map(({ path }) => path);
  if (missing.length > 0) throw new MissingFilesError(location.table, missing);
}

/** Those of some files of a table that are not there, or have another size than the log says. */
export async function missingFiles(
  { store, table }: Pick<DeltaLocation, "store" | "table">,
  files: Iterable<AddFile>,
): Promise<AddFile[]> {
  const missing: AddFile[] = [];
  for (const file of files) {
    if ((await store.stat(fileKey(table, file.path)))?.size !== file.size) missing.push(file);
  }
  return missing;
}
