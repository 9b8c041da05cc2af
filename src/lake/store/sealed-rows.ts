import { inParts, type PartBounds } from "../parts.js";
import type { SealedStore } from "./sealed-store.js";

/**
 * Makes a reader that keeps what it read last under names whose content never changes. What could not be read is asked for
 * again.
 */
export function recentReads<T>(most: number): (name: string, read: () => Promise<T>) => Promise<T> {
  const all = new Map<string, Promise<T>>();
  return (name, read) => {
    const kept = all.get(name);
    all.delete(name);
    const found = kept ?? read();
    all.set(name, found);
    if (kept === undefined) found.catch(() => all.delete(name));
    const [oldest] = all.keys();
    if (all.size > most && oldest !== undefined) all.delete(oldest);
    return found;
  };
}

/** Rows in one sealed object: about a megabyte of wide rows. */
const CHUNK_ROWS = 500;
const CHUNK = { count: CHUNK_ROWS, bytes: Number.POSITIVE_INFINITY };

/** Chunks kept in memory: the rows under way are close together, and each is read several times. */
const CHUNKS_KEPT = 8;

/** Rows of input files in the staging area, sealed in chunks and read by their index. */
export class SealedRows<Row> {
  readonly #chunks = recentReads<Row[]>(CHUNKS_KEPT);

  constructor(private readonly sealed: SealedStore) {}

  /** Writes rows durably below a prefix that ends in `/`, in chunks of at most so many; returns the number of chunks. */
  async write(
    prefix: string,
    rows: AsyncIterable<Row> | Iterable<Row>,
    most: PartBounds = CHUNK,
  ): Promise<number> {
    const bytesOf = (row: Row) => Buffer.byteLength(JSON.stringify(row));
    let chunks = 0;
    for await (const chunk of inParts(rows, most, bytesOf)) {
      await this.sealed.put(chunkKey(prefix, chunks), chunk, { durable: true });
      chunks += 1;
    }
    return chunks;
  }

  /** Reads rows `[from, to)` that were written in chunks without other bounds, fewer at the end. @throws StagingLostError when a chunk is gone. */
  async read(prefix: string, from: number, to: number): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = from; at < to; ) {
      const chunk = await this.chunk(prefix, Math.floor(at / CHUNK_ROWS));
      const part = chunk.slice(at % CHUNK_ROWS, (at % CHUNK_ROWS) + to - at);
      if (part.length === 0) break;
      rows.push(...part);
      at += part.length;
    }
    return rows;
  }

  async hasChunks(prefix: string, chunks: number): Promise<boolean> {
    return (await this.sealed.list(prefix)).length >= chunks;
  }

  /** Reads one chunk by its number. @throws StagingLostError when it is gone. */
  chunk(prefix: string, chunk: number): Promise<Row[]> {
    const key = chunkKey(prefix, chunk);
    return this.#chunks(key, () => this.sealed.require<Row[]>(key));
  }
}

function chunkKey(prefix: string, chunk: number): string {
  return `${prefix}${chunk}`;
}
