import { InputError } from "../../domain/failures.js";

/** `modifiedAt` is by the store's clock. */
export interface ObjectEntry {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Appended bytes never change. */
export interface GrowingObject {
  /** All or nothing; returns where the bytes begin. @throws StoreFullError */
  append(parts: readonly Uint8Array[]): number;
  close(): Promise<void>;
}

export interface PutOptions {
  /** It survives a power cut once the call has returned. */
  readonly durable?: boolean;
}

interface DeleteOptions extends PutOptions {
  /** Only these folders below the prefix. */
  readonly folders?: readonly string[];
}

/** For tables and staging. Keys are `/`-separated; every write is whole or not there. */
export interface ObjectStore {
  /** An absolute path, or `s3://bucket/prefix`. */
  readonly address: string;
  /** Whether the directory, or an object of the bucket, is there. @throws InputError where it can't be used */
  isThere(): Promise<boolean>;
  /** Writes nothing. @throws InputError that begins with the variable */
  checkWritable(variable: string): Promise<void>;
  /** What users other than the owner can reach. */
  openness(): Promise<string>;
  /** Tries every kind of request of a lake. @throws InputError */
  checkRequests(): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  /** Into a new file, past every copy on this machine; false for no object. */
  getFile(key: string, localPath: string): Promise<boolean>;
  /** Of an object that only grows; shorter at its end. */
  readRange(key: string, from: number, bytes: number): Promise<Buffer | undefined>;
  stat(key: string): Promise<ObjectEntry | undefined>;
  /** In fewer requests where keys begin alike. */
  stats(keys: readonly string[]): Promise<(ObjectEntry | undefined)[]>;
  /**
   * Atomic. An object must be durable before something durable names it, such as a commit or a workflow's history; pages
   * need not be, since readers check their hash.
   */
  put(key: string, body: Uint8Array | string, options?: PutOptions): Promise<void>;
  /** A file of any size, durably; the file stays. */
  putFile(key: string, localPath: string): Promise<void>;
  /**
   * A new object, durable after {@link persist}; a kill leaves its end torn, or nothing. Other processes see it once it
   * is durable or closed.
   */
  grow(key: string): Promise<GrowingObject>;
  /** Atomic and durable; `false` when the key exists. Commits depend on this alone. */
  putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean>;
  /** Waits for the disk once. Rejects if an object is gone. */
  persist(keys: readonly string[]): Promise<void>;
  /** Below a prefix (empty, or ending in `/`), after `startAfter`, in key order. */
  list(prefix: string, startAfter?: string): Promise<ObjectEntry[]>;
  /** Names that are no keys, such as a folder made in a bucket's console. */
  strangers(): Promise<ObjectEntry[]>;
  /** Names of folders directly below a prefix that ends in `/`, sorted. */
  folders(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
  /** Without `durable`, objects may come back after a power cut. */
  deletePrefix(prefix: string, options?: DeleteOptions): Promise<void>;
  /** Deletes killed writers' files from before an instant. */
  discardTemporary(prefix: string, before: number): Promise<void>;
  /** A local path for SQL, the object itself in a local store. @throws InputError for no object */
  download(key: string): Promise<string>;
  /** Moves local files to new keys, durably: all or none. */
  uploadAll(files: readonly { readonly localPath: string; readonly key: string }[]): Promise<void>;
}

const TEMPORARY = ".tmp-";
/** Names an object that never changes. */
export const RANDOM_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

export function temporaryName(id: string): string {
  return `${TEMPORARY}${process.pid}-${id}`;
}

/** A temp file of this or a killed process; no listing shows it. */
export function isTemporary(name: string): boolean {
  return name.split("/").some((part) => part.startsWith(TEMPORARY));
}

/** It stays in its store and is no temp file. */
export function isKey(name: string): boolean {
  return name.split("/").every((part) => !/^(|\.{1,2}|.*[\0\\].*)$/s.test(part)) && !isTemporary(name);
}

/** @throws InputError for what is no key */
export function partsOfKey(address: string, key: string): string[] {
  if (isKey(key)) return key.split("/");
  throw new InputError(
    `${JSON.stringify(key)} is not a key of ${address}: keys are relative, "/"-separated, and stay inside it.`,
  );
}
