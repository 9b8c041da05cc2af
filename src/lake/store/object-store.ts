import { InputError } from "../../domain/failures.js";

/** One object of a listing. `modifiedAt` is by the store's clock, not the caller's. */
export interface ObjectEntry {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** A new object that grows at its end; appended bytes never change. */
export interface GrowingObject {
  /** Appends in place, all or nothing, and returns where the bytes begin. @throws StoreFullError on a full disk */
  append(parts: readonly Uint8Array[]): number;
  close(): Promise<void>;
}

export interface PutOptions {
  /** Whether it must survive a power cut once the call has returned. */
  readonly durable?: boolean;
}

interface DeleteOptions extends PutOptions {
  /** Of the folders below the prefix, these alone. */
  readonly folders?: readonly string[];
}

/** Where tables and staging live. Keys are `/`-separated; every write is whole or not there at all. */
export interface ObjectStore {
  /** Canonical address, for messages and for the scope hash: an absolute path, or `s3://bucket/prefix`. */
  readonly address: string;
  /** Whether something is in its place: the directory, or an object of the bucket. @throws InputError where it can't be used */
  isThere(): Promise<boolean>;
  /** Looks whether the store can be used; writes nothing. @throws InputError that begins with the given variable. */
  checkWritable(variable: string): Promise<void>;
  /** Says what users other than the owner can reach. */
  openness(): Promise<string>;
  /** Tries every kind of request that a lake needs, and deletes what it made. @throws InputError */
  checkRequests(): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  /** As {@link get} into a new file, past every copy that this machine has; false if there is no such object. */
  getFile(key: string, localPath: string): Promise<boolean>;
  /** Reads a range of an object that only grows, or does not change; shorter where it ends. Undefined if there is none. */
  readRange(key: string, from: number, bytes: number): Promise<Buffer | undefined>;
  stat(key: string): Promise<ObjectEntry | undefined>;
  /** As {@link stat} of each key, in fewer requests where keys begin alike. */
  stats(keys: readonly string[]): Promise<(ObjectEntry | undefined)[]>;
  /**
   * Atomic; durable only when asked. An object must be durable before something durable names it: a file of a table, or
   * a document that a workflow's history names. Pages of an update need not be: readers check their hash.
   */
  put(key: string, body: Uint8Array | string, options?: PutOptions): Promise<void>;
  /** As {@link put} of a file's bytes, durably, however many they are; the file stays. */
  putFile(key: string, localPath: string): Promise<void>;
  /**
   * Makes a new object to append to. It is durable only after {@link persist}; a killed process leaves its end torn, or
   * nothing of it. Other processes see it once it is durable or closed.
   */
  grow(key: string): Promise<GrowingObject>;
  /** Atomic and durable; `false` when the key exists already. Commits depend on this primitive alone. */
  putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean>;
  /** Makes existing objects survive a power cut, waiting for the disk once. Rejects if one is gone. */
  persist(keys: readonly string[]): Promise<void>;
  /** Lists the entries below a prefix (empty, or ending in `/`) that come after `startAfter`, in key order. */
  list(prefix: string, startAfter?: string): Promise<ObjectEntry[]>;
  /** Lists names that are no keys, such as a folder made in a bucket's console; {@link list} leaves them out. */
  strangers(): Promise<ObjectEntry[]>;
  /** Lists the names of the folders directly below a prefix that ends in `/`, sorted. */
  folders(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
  /** Objects that are deleted without `durable` may come back after a power cut. */
  deletePrefix(prefix: string, options?: DeleteOptions): Promise<void>;
  /** Deletes files of killed writers, which no listing shows, below a prefix and from before an instant. */
  discardTemporary(prefix: string, before: number): Promise<void>;
  /** Gives SQL a local path with the object's bytes: the object itself where the store is local. @throws InputError if there is no such object. */
  download(key: string): Promise<string>;
  /** Moves local files to new keys, durably, waiting for the disk once; if one fails, removes those already published. */
  uploadAll(files: readonly { readonly localPath: string; readonly key: string }[]): Promise<void>;
}

const TEMPORARY = ".tmp-";
/** In the name of an object that never changes. */
export const RANDOM_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** A new name of a temp file, of this process. */
export function temporaryName(id: string): string {
  return `${TEMPORARY}${process.pid}-${id}`;
}

/** Whether a name, or part of it, is that of a temp file, of this process or a killed one; no listing shows these. */
export function isTemporary(name: string): boolean {
  return name.split("/").some((part) => part.startsWith(TEMPORARY));
}

/** Whether a name can neither leave its store nor be mistaken for a temp file. */
export function isKey(name: string): boolean {
  return name.split("/").every((part) => !/^(|\.{1,2}|.*[\0\\].*)$/s.test(part)) && !isTemporary(name);
}

/** The parts of a key. @throws InputError for what is none. */
export function partsOfKey(address: string, key: string): string[] {
  if (isKey(key)) return key.split("/");
  throw new InputError(
    `${JSON.stringify(key)} is not a key of ${address}: keys are relative, "/"-separated, and stay inside it.`,
  );
}
