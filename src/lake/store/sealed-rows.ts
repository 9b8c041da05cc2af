import { inParts, type PartBounds } from "../parts.js";
import type { SealedStore } from "./sealed-store.js";

/**
 * A reader that caches its last results by names whose content does not change, except failures and where `isAsked` says
 * so.
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

/** About a megabyte of wide rows. */
const CHUNK_ROWS = 500;
const CHUNK = { count: CHUNK_ROWS, bytes: Number.POSITIVE_INFINITY };

/** Rows under way are close together, and each is read several times. */
const CHUNKS_KEPT = 8;

/** Rows of input files, staged in sealed chunks and read by index. */
export class SealedRows<Row> {
  readonly #chunks = recentReads<Row[]>(CHUNKS_KEPT);

  constructor(private readonly sealed: SealedStore) {}

  /** Writes rows durably below a prefix that ends in `/`; returns the number of chunks. */
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
   * Reads rows `[from, to)` of chunks without other bounds, fewer at the end.
   * @param isAsked reads cached rows again, since they may have been replaced
   * @throws StagingLostError when a chunk is gone
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

  /** Chunks in no order, one in memory at a time. */
  async *chunks(prefix: string): AsyncGenerator<readonly [key: string, rows: readonly Row[]]> {
    for (const { key } of await this.sealed.list(prefix)) yield [key, await this.sealed.require<Row[]>(key)];
  }

  /** Replaces a chunk; other processes may have the earlier rows in their cache. */
  replace(key: string, rows: readonly Row[]): Promise<void> {
    return this.sealed.put(key, rows, { durable: true });
  }

  /** @throws StagingLostError when the chunk is gone */
  chunk(prefix: string, chunk: number, isAsked = false): Promise<Row[]> {
    const key = chunkKey(prefix, chunk);
    return this.#chunks(key, () => this.sealed.require<Row[]>(key), isAsked);
  }
}

function chunkKey(prefix: string, chunk: number): string {
  return `${prefix}${chunk}`;
}
