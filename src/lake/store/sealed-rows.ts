import { inParts, type PartBounds } from "../parts.js";
import type { SealedStore } from "./sealed-store.js";

/**
 * Makes a reader that keeps what it read last under names whose content does not change. What could not be read is asked
 * for again, and what may have changed, where `isAsked` says so.
 */
export function recentReads<T>(
  most: number,
): (name: string, read: () => Promise<T>, isAsked?: boolean) => Promise<T> {
  const all = new Map<string, Promise<T>>();
  return (name, read, isAsked = false) => {
    const kept = isAsked ? undefined : all.get(name);
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

  /**
   * Reads rows `[from, to)` that were written in chunks without other bounds, fewer at the end.
   * @param isAsked whether to read also what was read before, because somebody may have replaced it
   * @throws StagingLostError when a chunk is gone.
   */
  async read(prefix: string, from: number, to: number, isAsked = false): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = from; at < to; ) {
      const chunk = await this.chunk(prefix, Math.floor(at / CHUNK_ROWS), isAsked);
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

  /** Gives the chunks below a prefix by their keys, one in memory at a time, in no order. */
  async *chunks(prefix: string): AsyncGenerator<readonly [key: string, rows: readonly Row[]]> {
    for (const { key } of await this.sealed.list(prefix)) yield [key, await this.sealed.require<Row[]>(key)];
  }

  /** Writes a chunk anew, with as many rows. A process that has read it may know the earlier rows until it asks again. */
  replace(key: string, rows: readonly Row[]): Promise<void> {
    return this.sealed.put(key, rows, { durable: true });
  }

  /** Reads one chunk by its number. @throws StagingLostError when it is gone. */
  chunk(prefix: string, chunk: number, isAsked = false): Promise<Row[]> {
    const key = chunkKey(prefix, chunk);
    return this.#chunks(key, () => this.sealed.require<Row[]>(key), isAsked);
  }
}

function chunkKey(prefix: string, chunk: number): string {
  return `${prefix}${chunk}`;
}
