import { createHash, randomUUID } from "node:crypto";
import { InputError, StagingLostError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import type { ObjectStore, PutOptions } from "./object-store.js";

/** One value under one name of the staging area, sealed and durable. */
export interface Kept<T> {
  find(): Promise<T | undefined>;
  /** @throws StagingLostError when it is gone. */
  require(): Promise<T>;
  has(): Promise<boolean>;
  /** Writes the value, also in place of one that is there. */
  put(value: T): Promise<void>;
  /** Writes the value unless there is one; returns the one that is kept. */
  putIfAbsent(value: T): Promise<T>;
  drop(): Promise<void>;
}

/** Customers' data and secrets on their way: an object opens only under its own key. */
export class SealedStore {
  constructor(
    private readonly store: ObjectStore,
    /** For values stored elsewhere, such as in a table. */
    readonly sealer: Sealer,
  ) {}

  /** Atomic, and durable on request. */
  async putBytes(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void> {
    await this.store.put(key, this.sealer.seal(bytes, key), options);
  }

  /** As JSON; atomic, and durable on request. */
  async put(key: string, value: unknown, options?: PutOptions): Promise<void> {
    await this.putBytes(key, jsonBytes(value), options);
  }

  /** Durable; `false` when the key exists. */
  async putIfAbsent(key: string, value: unknown): Promise<boolean> {
    return this.store.putIfAbsent(key, this.sealer.seal(jsonBytes(value), key));
  }

  /** Undefined for no object. @throws InputError for a wrong key, or changed bytes */
  async getBytes(key: string): Promise<Buffer | undefined> {
    const sealed = await this.store.get(key);
    if (sealed === undefined) return undefined;
    try {
      const { buffer, byteOffset, byteLength } = this.sealer.open(sealed, key);
      return Buffer.from(buffer, byteOffset, byteLength);
    } catch (error) {
      if (error instanceof InputError) error.message = `${key} in the lake: ${error.message}`;
      throw error;
    }
  }

  /** Throws as {@link getBytes}. */
  async get<T>(key: string): Promise<T | undefined> {
    const bytes = await this.getBytes(key);
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as T);
  }

  /** @throws StagingLostError when it is gone */
  async require<T>(key: string): Promise<T> {
    const value = await this.get<T>(key);
    if (value !== undefined) return value;
    throw new StagingLostError(key, "gone from the lake's staging area");
  }

  kept<T>(key: string): Kept<T> {
    const require = () => this.require<T>(key);
    return {
      find: () => this.get<T>(key),
      require,
      has: async () => (await this.stat(key)) !== undefined,
      put: (value) => this.put(key, value, { durable: true }),
      putIfAbsent: async (value) => ((await this.putIfAbsent(key, value)) ? value : require()),
      drop: () => this.delete(key),
    };
  }

  readonly persist: ObjectStore["persist"] = (keys) => this.store.persist(keys);
  /** Size of the sealed bytes, time by the store's clock. */
  readonly stat: ObjectStore["stat"] = (key) => this.store.stat(key);
  readonly list: ObjectStore["list"] = (prefix, startAfter) => this.store.list(prefix, startAfter);
  readonly delete: ObjectStore["delete"] = (key) => this.store.delete(key);

  async deletePrefix(prefix: string, options?: PutOptions): Promise<void> {
    await this.store.deletePrefix(prefix, options);
  }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), "utf8");
}

/** One piece is in memory at a time. */
const STREAM_PIECE_BYTES = 1024 * 1024;

interface StreamFacts {
  readonly bytes: number;
  /** Of the plain bytes, in hex. */
  readonly sha256: string;
}

interface Manifest extends StreamFacts {
  /** Two writers at once never read each other's pieces. */
  readonly writing: string;
  readonly pieces: number;
}

/** A body that the client can send. */
export interface SealedStream extends StreamFacts {
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Seals bytes of any length in pieces below `<key>/`, durably, the manifest last. */
export async function putStream(
  sealed: SealedStore,
  key: string,
  source: AsyncIterable<Uint8Array>,
): Promise<StreamFacts> {
  const writing = randomUUID();
  const hash = createHash("sha256");
  let bytes = 0;
  const keys: string[] = [];
  for await (const piece of inPieces(source)) {
    hash.update(piece);
    bytes += piece.length;
    const pieceAt = pieceKey(key, writing, keys.length);
    await sealed.putBytes(pieceAt, piece);
    keys.push(pieceAt);
  }
  await sealed.persist(keys);
  const manifest: Manifest = { writing, pieces: keys.length, bytes, sha256: hash.digest("hex") };
  await sealed.put(manifestKey(key), manifest, { durable: true });
  return { bytes, sha256: manifest.sha256 };
}

/** Undefined for a stream that is unfinished, or lacks a piece. */
export async function sealedStream(sealed: SealedStore, key: string): Promise<SealedStream | undefined> {
  const manifest = await sealed.get<Manifest>(manifestKey(key));
  if (manifest === undefined) return undefined;
  const { bytes, sha256, writing, pieces } = manifest;
  const keys = Array.from({ length: pieces }, (_, piece) => pieceKey(key, writing, piece));
  const there = new Set((await sealed.list(`${key}/`)).map((entry) => entry.key));
  if (!keys.every((piece) => there.has(piece))) return undefined;
  async function* open(): AsyncGenerator<Uint8Array> {
    for (const piece of keys) {
      const found = await sealed.getBytes(piece);
      if (found === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
      yield found;
    }
  }
  return { bytes, sha256, size: bytes, open };
}

function manifestKey(key: string): string {
  return `${key}/manifest`;
}

function pieceKey(key: string, writing: string, piece: number): string {
  return `${key}/${writing}-${piece}`;
}

async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; ) {
      const part = chunk.subarray(from, from + STREAM_PIECE_BYTES - size);
      waiting.push(part);
      size += part.byteLength;
      from += part.byteLength;
      if (size < STREAM_PIECE_BYTES) continue;
      yield Buffer.concat(waiting, size);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}
