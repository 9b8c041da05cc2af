import type {
  AddFile,
  CommitInfo,
  DeltaAction,
  Metadata,
  Protocol,
  RemoveFile,
  Txn,
} from "./delta-actions.js";
import { withChanges } from "./layered-map.js";

/** A table at a version, immutable; -1 for no table. */
export interface Snapshot {
  readonly version: number;
  readonly protocol?: Protocol;
  readonly metadata?: Metadata;
  /** Live files by path; `dataChange` is false here. */
  readonly files: ReadonlyMap<string, AddFile>;
  /** By domain. */
  readonly domains: ReadonlyMap<string, string>;
  readonly txns: ReadonlyMap<string, Txn>;
  /** Removed files that older readers may need. */
  readonly tombstones: ReadonlyMap<string, RemoveFile>;
}

export const NO_TABLE: Snapshot = {
  version: -1,
  files: new Map(),
  domains: new Map(),
  txns: new Map(),
  tombstones: new Map(),
};

export interface Commit {
  readonly version: number;
  readonly actions: readonly DeltaAction[];
}

/** A file, and the version that brought its rows. */
export interface ChangedFile {
  readonly version: number;
  readonly add: AddFile;
}

/** The state after further commits; costs what they change. */
export function advance(base: Snapshot, commits: readonly Commit[]): Snapshot {
  let { version, protocol, metadata } = base;
  const files = new Map<string, AddFile | null>();
  const domains = new Map<string, string | null>();
  const txns = new Map<string, Txn | null>();
  const tombstones = new Map<string, RemoveFile | null>();
  for (const commit of commits) {
    version = commit.version;
    for (const action of commit.actions) {
      if ("add" in action) {
        files.set(action.add.path, { ...action.add, dataChange: false });
        tombstones.set(action.add.path, null);
      } else if ("remove" in action) {
        files.set(action.remove.path, null);
        tombstones.set(action.remove.path, { ...action.remove, dataChange: false });
      } else if ("domainMetadata" in action) {
        const { domain, configuration, removed } = action.domainMetadata;
        domains.set(domain, removed ? null : configuration);
      } else if ("txn" in action) txns.set(action.txn.appId, action.txn);
      else if ("protocol" in action) protocol = action.protocol;
      else if ("metaData" in action) metadata = action.metaData;
    }
  }
  return {
    version,
    ...(protocol && { protocol }),
    ...(metadata && { metadata }),
    files: withChanges(base.files, files),
    domains: withChanges(base.domains, domains),
    txns: withChanges(base.txns, txns),
    tombstones: withChanges(base.tombstones, tombstones),
  };
}

/** The path of the file that this one replaces, with all but erased rows. */
const REPLACES = "nightledger.replaces";

/** A commit that erases a person's rows; derived tables lose theirs by their own commits. */
export const ERASURE: CommitInfo = { operation: "DELETE", erasure: true };

export function isErasure(actions: readonly DeltaAction[]): boolean {
  return actions.some((action) => "commitInfo" in action && action.commitInfo.erasure === true);
}

/** Keeps the modification time, so change readers ignore the file. */
export function leftOf(file: AddFile, left: AddFile): AddFile {
  return {
    ...left,
    modificationTime: file.modificationTime,
    tags: { ...left.tags, [REPLACES]: file.path },
  };
}

/** Files with new rows, as erasures left them. */
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
