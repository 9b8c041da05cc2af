import { inParts, type PartBounds } from "../parts.js";
import { RecentReads } from "../recent-reads.js";
import type { SealedStore } from "./sealed-store.js";

/** Rows in one sealed object: about a megabyte of wide rows. */
const CHUNK_ROWS = 500;
const CHUNK = { count: CHUNK_ROWS, bytes: Number.POSITIVE_INFINITY };

/** Chunks kept in memory: the rows under way are close together, and each is read several times. */
const CHUNKS_KEPT = 8;

/** Rows of input files in the staging area, sealed in chunks and read by their index. */
export class SealedRows<Row> {
  readonly #chunks = new RecentReads<Row[]>(CHUNKS_KEPT);

  constructor(private readonly sealed: SealedStore) {}

  /** Writes rows durably below a prefix that ends in `/`, and returns their number. */
  async write(prefix: string, rows: AsyncIterable<Row> | Iterable<Row>): Promise<number> {
    return (
      await this.#write(
        prefix,
        inParts(rows, CHUNK, () => 0),
      )
    ).rows;
  }

  /** Writes rows as {@link write} does, in chunks of at most so many rows and bytes; returns the number of chunks. */
  async writeBounded(
    prefix: string,
    rows: AsyncIterable<Row> | Iterable<Row>,
    most: PartBounds,
  ): Promise<number> {
    const bytesOf = (row: Row) => Buffer.byteLength(JSON.stringify(row));
    return (await this.#write(prefix, inParts(rows, most, bytesOf))).chunks;
  }

  async #write(prefix: string, parts: AsyncIterable<Row[]>) {
    const written = { rows: 0, chunks: 0 };
    for await (const chunk of parts) {
      await this.sealed.put(chunkKey(prefix, written.chunks), chunk, { durable: true });
      written.rows += chunk.length;
      written.chunks += 1;
    }
    return written;
  }

  /** Reads rows `[from, to)`, fewer at the end. @throws StagingLostError when a chunk is gone. */
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
    return this.#chunks.of(key, () => this.sealed.require<Row[]>(key));
  }
}

function chunkKey(prefix: string, chunk: number): string {
  return `${prefix}${chunk}`;
}
