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
  keep(value: T): Promise<T>;
  drop(): Promise<void>;
}

/** The part of a store with customers' data and secrets on their way: an object opens only under its own key. */
export class SealedStore {
  constructor(
    private readonly store: ObjectStore,
    /** Seals what is kept elsewhere, such as a value of a table. */
    readonly sealer: Sealer,
  ) {}

  /** Seals bytes; atomic, and durable when asked. */
  async putBytes(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void> {
    await this.store.put(key, this.sealer.seal(bytes, key), options);
  }

  /** Seals a value as JSON; atomic, and durable when asked. */
  async put(key: string, value: unknown, options?: PutOptions): Promise<void> {
    await this.putBytes(key, jsonBytes(value), options);
  }

  /** Seals a value as JSON, durably; `false` when the key exists already. */
  async putIfAbsent(key: string, value: unknown): Promise<boolean> {
    return this.store.putIfAbsent(key, this.sealer.seal(jsonBytes(value), key));
  }

  /** Opens an object's bytes; `undefined` where there is none. @throws InputError for a wrong key, or changed bytes. */
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

  /** Opens an object's value; `undefined` where there is none. Throws as {@link getBytes} does. */
  async get<T>(key: string): Promise<T | undefined> {
    const bytes = await this.getBytes(key);
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as T);
  }

  /** Opens the value of an object that must be there. @throws StagingLostError when it is not. */
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
      keep: async (value) => ((await this.putIfAbsent(key, value)) ? value : require()),
      drop: () => this.delete(key),
    };
  }

  readonly persist: ObjectStore["persist"] = (keys) => this.store.persist(keys);
  /** Gives the size of the sealed bytes, and their time by the store's clock. */
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

/** Bytes of one sealed piece; one piece is in memory at a time. */
const STREAM_PIECE_BYTES = 1024 * 1024;

interface StreamFacts {
  readonly bytes: number;
  /** Of the plain bytes, in hex. */
  readonly sha256: string;
}

interface Manifest extends StreamFacts {
  /** Names the pieces of one writer: two writers at once never read each other's. */
  readonly writing: string;
  readonly pieces: number;
}

/** A sealed stream to read from, in the form of a body that the client sends. */
export interface SealedStream extends StreamFacts {
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Seals bytes of any length piece by piece below `<key>/`, durably; the manifest comes last and makes it a stream. */
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

/** Finds the stream below `<key>/`; `undefined` if none was finished, or one of its pieces is gone. */
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
