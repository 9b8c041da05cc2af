import { createHash, randomUUID } from "node:crypto";
import { StagingLostError } from "../staging-lost-error.js";
import type { SealedStore } from "./sealed-store.js";

/** Bytes of one sealed piece: what is in memory at a time. */
const PIECE_BYTES = 1024 * 1024;

/** What is known of a sealed stream without reading it. */
interface StreamFacts {
  readonly bytes: number;
  /** Of the plain bytes, in hex. */
  readonly sha256: string;
}

interface Manifest extends StreamFacts {
  /** Names the pieces of one writing: of two writers at once neither reads the other's. */
  readonly writing: string;
  readonly pieces: number;
}

/** A sealed stream to read from; its form is that of a body that the client sends. */
export interface SealedStream extends StreamFacts {
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Seals bytes of any length piece by piece below `<key>/`, durably. The stream is there once all of it is: its
 * manifest comes last, and replaces an earlier one whole.
 */
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

/** The stream below `<key>/`, `undefined` where none was written to its end, or a piece of it is gone. */
export async function sealedStream(sealed: SealedStore, key: string): Promise<SealedStream | undefined> {
  const manifest = await sealed.get<Manifest>(manifestKey(key));
  if (manifest === undefined) return undefined;
  const { bytes, sha256, writing, pieces } = manifest;
  const listed = await sealed.list(`${key}/`);
  const there = new Set(listed.map((entry) => entry.key));
  for (let piece = 0; piece < pieces; piece += 1) {
    if (!there.has(pieceKey(key, writing, piece))) return undefined;
  }
  async function* open(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < pieces; piece += 1) {
      const found = await sealed.getBytes(pieceKey(key, writing, piece));
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
