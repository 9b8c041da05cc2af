import type { AddFile, DeltaAction, Metadata, Protocol, RemoveFile, Txn } from "./delta-actions.js";

/** A table at one version; -1 while it is not there. Never changes once it was given out. */
export interface Snapshot {
  readonly version: number;
  readonly protocol?: Protocol;
  readonly metadata?: Metadata;
  /** Live files by their path in the log; `dataChange` is always false here. */
  readonly files: ReadonlyMap<string, AddFile>;
  /** Configuration text by domain. */
  readonly domains: ReadonlyMap<string, string>;
  readonly txns: ReadonlyMap<string, Txn>;
  /** Removed files that older readers may still need. */
  readonly tombstones: ReadonlyMap<string, RemoveFile>;
}

/** The state of a table that is not there. */
export const NO_TABLE: Snapshot = {
  version: -1,
  files: new Map(),
  domains: new Map(),
  txns: new Map(),
  tombstones: new Map(),
};

/** One version's actions. */
export interface Commit {
  readonly version: number;
  readonly actions: readonly DeltaAction[];
}

/**
 * The state after more commits. A map is copied once, and only when something in it changes, so that
 * snapshots given out earlier stay as they were.
 */
export function advance(base: Snapshot, commits: readonly Commit[]): Snapshot {
  let { version, protocol, metadata } = base;
  const files = copyOnWrite(base.files);
  const domains = copyOnWrite(base.domains);
  const txns = copyOnWrite(base.txns);
  const tombstones = copyOnWrite(base.tombstones);
  for (const commit of commits) {
    version = commit.version;
    for (const action of commit.actions) {
      if ("add" in action) {
        files.writable().set(action.add.path, { ...action.add, dataChange: false });
        if (tombstones.current().has(action.add.path)) tombstones.writable().delete(action.add.path);
      } else if ("remove" in action) {
        files.writable().delete(action.remove.path);
        tombstones.writable().set(action.remove.path, { ...action.remove, dataChange: false });
      } else if ("domainMetadata" in action) {
        const { domain, configuration, removed } = action.domainMetadata;
        if (removed) domains.writable().delete(domain);
        else domains.writable().set(domain, configuration);
      } else if ("txn" in action) txns.writable().set(action.txn.appId, action.txn);
      else if ("protocol" in action) protocol = action.protocol;
      else if ("metaData" in action) metadata = action.metaData;
    }
  }
  return {
    version,
    ...(protocol && { protocol }),
    ...(metadata && { metadata }),
    files: files.current(),
    domains: domains.current(),
    txns: txns.current(),
    tombstones: tombstones.current(),
  };
}

function copyOnWrite<V>(base: ReadonlyMap<string, V>) {
  let copy: Map<string, V> | undefined;
  return {
    current: (): ReadonlyMap<string, V> => copy ?? base,
    writable: (): Map<string, V> => {
      copy ??= new Map(base);
      return copy;
    },
  };
}
