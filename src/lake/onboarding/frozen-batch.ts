import { createHash } from "node:crypto";
import { InputError } from "../../domain/failures.js";
import { type FrozenRow, isRight, type RightRow } from "../../domain/onboarding/frozen-row.js";
import { type BatchPurpose, batchLine } from "../../domain/onboarding/identity.js";
import { StagingLostError } from "../staging-lost-error.js";
import type { SealedStore } from "../store/sealed-store.js";
import { putStream, type SealedStream, sealedStream } from "../store/sealed-stream.js";

/** Rows in one sealed object: about a megabyte of wide rows. */
const CHUNK_ROWS = 500;

/** Chunks kept open: the rows of a window lie close together, and each is asked for several times. */
const CHUNKS_KEPT = 8;

/** What is known of a batch without its rows. */
export interface BatchFacts extends BatchPurpose {
  readonly batchId: string;
  /** Of the file, wrong ones counted. */
  readonly rows: number;
  readonly invalid: number;
  /** Hex, of every row's line in the batch's id. */
  readonly sha256: string;
  /** What the reader of the file was told, such as ignored columns; never a value. */
  readonly warnings: readonly string[];
}

/** The sealed manifest of a batch: it is written last, so a batch that has one is whole. */
interface BatchManifest extends BatchFacts {
  readonly chunkRows: number;
}

/** A row on its way into a batch, with what opens the files that it names. */
export interface FreezableRow {
  readonly row: FrozenRow;
  /** By identifier; each opens the file's bytes. */
  readonly documents: ReadonlyMap<string, () => AsyncIterable<Uint8Array>>;
}

/**
 * The customers files that batches run on: copied once into the staging area, sealed, so that a later change of
 * a file is another batch and workflows carry row numbers only.
 */
export class FrozenBatches {
  readonly #chunks = new Map<string, Promise<FrozenRow[]>>();

  constructor(private readonly sealed: SealedStore) {}

  /**
   * Copies the rows of a batch and the documents that they name. A batch that is there already stays as it is.
   *
   * @throws InputError where file or documents changed since the batch's id was made; no batch is there then.
   */
  async freeze(facts: BatchFacts, rows: AsyncIterable<FreezableRow>): Promise<void> {
    if ((await this.manifest(facts.batchId)) !== undefined) return;
    const hash = createHash("sha256");
    let chunk: FrozenRow[] = [];
    let chunks = 0;
    const flush = async () => {
      await this.sealed.put(chunkKey(facts.batchId, chunks), chunk, { durable: true });
      chunks += 1;
      chunk = [];
    };
    for await (const { row, documents } of rows) {
      if (isRight(row)) await this.#copyDocuments(facts.batchId, row, documents);
      hash.update(batchLine(row.line, isRight(row) ? row : row.problems));
      chunk.push(row);
      if (chunk.length === CHUNK_ROWS) await flush();
    }
    if (chunk.length > 0) await flush();
    if (hash.digest("hex") !== facts.sha256) throw changed("The customers file");
    const manifest: BatchManifest = { ...facts, chunkRows: CHUNK_ROWS };
    await this.sealed.putIfAbsent(manifestKey(facts.batchId), manifest);
  }

  /** A batch's manifest, undefined where it was not frozen to its end. */
  async manifest(batchId: string): Promise<BatchManifest | undefined> {
    return this.sealed.get<BatchManifest>(manifestKey(batchId));
  }

  /** The manifest of a batch that must be there. @throws StagingLostError */
  async require(batchId: string): Promise<BatchManifest> {
    return this.sealed.require<BatchManifest>(manifestKey(batchId));
  }

  /** Rows `[from, to)` of a batch, `to` at most its number of rows. @throws StagingLostError */
  async rows(batchId: string, from: number, to: number): Promise<FrozenRow[]> {
    const rows: FrozenRow[] = [];
    for (let at = from; at < to; ) {
      const found = await this.#chunk(batchId, Math.floor(at / CHUNK_ROWS));
      const part = found.slice(at % CHUNK_ROWS, (at % CHUNK_ROWS) + to - at);
      if (part.length === 0) break;
      rows.push(...part);
      at += part.length;
    }
    return rows;
  }

  /** One row that can run. @throws StagingLostError, or Error when there is none of that number. */
  async row(batchId: string, row: number): Promise<RightRow> {
    const [found] = await this.rows(batchId, row, row + 1);
    if (found !== undefined && isRight(found)) return found;
    throw new Error(
      `row ${row} of ${batchId} is ${found === undefined ? "not there" : "one that can't run"}`,
    );
  }

  /** The bytes of a document, as they were when the batch was frozen. @throws StagingLostError */
  async document(batchId: string, line: number, identifier: string): Promise<SealedStream> {
    const key = documentKey(batchId, line, identifier);
    const found = await sealedStream(this.sealed, key);
    return found ?? this.#lose(batchId, key);
  }

  async #copyDocuments(
    batchId: string,
    { line, customer }: RightRow,
    documents: FreezableRow["documents"],
  ): Promise<void> {
    for (const [identifier, open] of documents) {
      const copied = await putStream(this.sealed, documentKey(batchId, line, identifier), open());
      if (copied.sha256 === customer.documents[identifier]?.sha256) continue;
      throw changed(`A document of line ${line} of the customers file`);
    }
  }

  /** A batch that lost a part is whole no more: without its manifest, `freeze` copies everything again. */
  async #lose(batchId: string, key: string): Promise<never> {
    await this.sealed.delete(manifestKey(batchId));
    throw new StagingLostError(key, "gone from the lake's staging area");
  }

  async #readChunk(batchId: string, key: string): Promise<FrozenRow[]> {
    const rows = await this.sealed.get<FrozenRow[]>(key);
    return rows ?? this.#lose(batchId, key);
  }

  #chunk(batchId: string, chunk: number): Promise<FrozenRow[]> {
    const key = chunkKey(batchId, chunk);
    const kept = this.#chunks.get(key);
    this.#chunks.delete(key);
    const rows = kept ?? this.#readChunk(batchId, key);
    this.#chunks.set(key, rows);
    if (kept === undefined) rows.catch(() => this.#chunks.delete(key));
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > CHUNKS_KEPT && oldest !== undefined) this.#chunks.delete(oldest);
    return rows;
  }
}

/** Everything that a batch keeps in the staging area lies below this. */
export function batchPrefix(batchId: string): string {
  return `_staging/${batchId}/`;
}

function manifestKey(batchId: string): string {
  return `${batchPrefix(batchId)}batch`;
}

function chunkKey(batchId: string, chunk: number): string {
  return `${batchPrefix(batchId)}customers/${chunk}`;
}

function documentKey(batchId: string, line: number, identifier: string): string {
  const hash = createHash("sha256").update(identifier).digest("hex").slice(0, 16);
  return `${batchPrefix(batchId)}documents/${line}-${hash}`;
}

function changed(what: string): InputError {
  return new InputError(
    `${what} changed while it was read. Nothing was started. Run the command again when it is complete.`,
  );
}
