/** One object of a listing. `modifiedAt` is the store's time, not that of whoever asks. */
export interface ObjectEntry {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** A new object that grows at its end; what was appended stays as it is. */
export interface GrowingObject {
  /**
   * Appends in place and returns where the bytes begin. Where they can't be written as a whole, what was written of
   * them is cut off again.
   *
   * @throws StoreFullError on a full disk
   */
  append(parts: readonly Uint8Array[]): number;
  close(): Promise<void>;
}

/** How a write or a deletion is to be done. */
export interface PutOptions {
  /** Whether it must survive a power cut once it has returned. */
  readonly durable?: boolean;
}

/**
 * Where tables and staging live. Keys are `/`-separated and relative to the store's root;
 * every write is whole or not there at all.
 */
export interface ObjectStore {
  /** Canonical address, for messages and for the scope hash: an absolute path, later `s3://bucket/prefix`. */
  readonly address: string;
  get(key: string): Promise<Buffer | undefined>;
  /** So many bytes of an object, fewer where it ends before; undefined where it is not there. */
  readRange(key: string, from: number, bytes: number): Promise<Buffer | undefined>;
  stat(key: string): Promise<ObjectEntry | undefined>;
  /**
   * Atomic; not durable unless asked. What something durable names is made durable before it: a file of a table, a
   * document or a page of which a workflow's history says that it is there. Pages of an update need not be: their
   * hash is checked when they are read.
   */
  put(key: string, body: Uint8Array | string, options?: PutOptions): Promise<void>;
  /** A new object to append to. Not durable before {@link persist}; a killed process leaves it torn at its end. */
  grow(key: string): Promise<GrowingObject>;
  /** Atomic and durable; `false` when the key is there already. The one primitive that commits rest on. */
  putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean>;
  /**
   * Makes objects that were put without it survive a power cut, waiting for the disk once instead of once an object.
   * Rejects where one of them is gone.
   */
  persist(keys: readonly string[]): Promise<void>;
  /** Every entry below a key prefix (a prefix ends in `/` or is empty), in key order, after `startAfter`. */
  list(prefix: string, startAfter?: string): Promise<ObjectEntry[]>;
  /** Names of the folders directly below a prefix that ends in `/`, sorted. */
  folders(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
  /** What is deleted without `durable` may be there again after a power cut. */
  deletePrefix(prefix: string, options?: PutOptions): Promise<void>;
  /** A local path with the object's bytes, for SQL; the object itself where the store is local. */
  download(key: string, scratchDirectory: string): Promise<string>;
  /** Publishes a local file under a new key, durably; the local file is gone afterwards. */
  upload(localPath: string, key: string): Promise<void>;
  /**
   * Publishes local files as {@link upload} does, waiting for the disk once instead of once a file: durable when
   * it returns. Where one fails, those published by this call are taken away again.
   */
  uploadAll(files: readonly { readonly localPath: string; readonly key: string }[]): Promise<void>;
}
