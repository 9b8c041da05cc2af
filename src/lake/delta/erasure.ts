import type { AddFile, CommitInfo, DeltaAction } from "./delta-actions.js";
import type { ChangedFile } from "./delta-snapshot.js";

/** The tag of a file with the path of the one that it replaces, of which it has all rows but those that were erased. */
const REPLACES = "nightledger.replaces";

/** Of a commit that takes a person's rows out of a table: tables that are derived from it lose theirs by a commit of their own. */
export const ERASURE: CommitInfo = { operation: "DELETE", erasure: true };

export function isErasure(actions: readonly DeltaAction[]): boolean {
  return actions.some((action) => "commitInfo" in action && action.commitInfo.erasure === true);
}

/** Gives what an erasure leaves of a file: as old as that one, so that nobody takes its rows for new ones. */
export function leftOf(file: AddFile, left: AddFile): AddFile {
  return {
    ...left,
    modificationTime: file.modificationTime,
    tags: { ...left.tags, [REPLACES]: file.path },
  };
}

/** Gives what an erasure left of files that brought rows. */
export function withoutErased(
  changed: readonly ChangedFile[],
  erasure: readonly DeltaAction[],
): ChangedFile[] {
  const removed = new Set(erasure.flatMap((action) => ("remove" in action ? [action.remove.path] : [])));
  const left = new Map(
    erasure.flatMap((action) => ("add" in action ? [[action.add.tags?.[REPLACES], action.add]] : [])),
  );
  return changed.flatMap(({ version, add }) => {
    if (!removed.has(add.path)) return [{ version, add }];
    const replacement = left.get(add.path);
    return replacement === undefined ? [] : [{ version, add: replacement }];
  });
}
