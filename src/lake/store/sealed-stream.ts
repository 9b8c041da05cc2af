import { createHash, randomUUID } from "node:crypto";
import { StagingLostError } from "../../domain/failures.js";
import type { SealedStore } from "./sealed-store.js";

/** Bytes of one sealed piece; one piece is in memory at a time. */
const PIECE_BYTES = 1024 * 1024;

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
      const part = chunk.subarray(from, from + PIECE_BYTES - size);
      waiting.push(part);
      size += part.byteLength;
      from += part.byteLength;
      if (size < PIECE_BYTES) continue;
      yield Buffer.concat(waiting, size);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}
