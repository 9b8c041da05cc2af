import { FAILURE_TYPES } from "../../domain/failures.js";
import type { DeltaAction } from "./delta-actions.js";
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
  { store, table }: DeltaLocation,
  actions: readonly DeltaAction[],
): Promise<void> {
  const missing: string[] = [];
  for (const action of actions) {
    if (!("add" in action)) continue;
    const { path, size } = action.add;
    if ((await store.stat(fileKey(table, path)))?.size !== size) missing.push(path);
  }
  if (missing.length > 0) throw new MissingFilesError(table, missing);
}
