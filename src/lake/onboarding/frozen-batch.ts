import { createHash, type Hash } from "node:crypto";
import { InputError } from "../../domain/failures.js";
import { type FrozenRow, isRight, type RightRow } from "../../domain/onboarding/customer.js";
import { type BatchPurpose, batchLine } from "../../domain/onboarding/identity.js";
import type { Outcome, OutcomeName } from "../../domain/onboarding/outcome.js";
import { StagingLostError } from "../staging-lost-error.js";
import { SealedRows } from "../store/sealed-rows.js";
import type { SealedStore } from "../store/sealed-store.js";
import { putStream, type SealedStream, sealedStream } from "../store/sealed-stream.js";

export interface BatchFacts extends BatchPurpose {
  readonly batchId: string;
  /** Of the file, including wrong ones. */
  readonly rows: number;
  readonly invalid: number;
  /** Hex, of every row's line in the batch's id. */
  readonly sha256: string;
  /** Warnings about the file, such as ignored columns; never a value. */
  readonly warnings: readonly string[];
}

export interface FreezableRow {
  readonly row: FrozenRow;
  /** Opens a file's bytes, by identifier. */
  readonly documents: ReadonlyMap<string, () => AsyncIterable<Uint8Array>>;
}

/**
 * The customers files that batches run on: copied once into the staging area, sealed, so that a later change of
 * a file is another batch and workflows carry row numbers only.
 */
export class FrozenBatches {
  readonly #rows: SealedRows<FrozenRow>;

  constructor(private readonly sealed: SealedStore) {
    this.#rows = new SealedRows(sealed);
  }

  /**
   * Copies the rows of a batch and the documents that they name. A batch that exists stays as it is.
   *
   * @throws InputError where the file or a document has changed since the batch's id was made; no batch is made then.
   */
  async freeze(facts: BatchFacts, rows: AsyncIterable<FreezableRow>): Promise<void> {
    if ((await this.manifest(facts.batchId)) !== undefined) return;
    const hash = createHash("sha256");
    await this.#rows.write(rowsPrefix(facts.batchId), this.#copied(facts.batchId, rows, hash));
    if (hash.digest("hex") !== facts.sha256) throw changed("The customers file");
    // Written last: a batch that has a manifest is whole.
    await this.sealed.putIfAbsent(manifestKey(facts.batchId), facts);
  }

  /** A batch's manifest; undefined where it was not completely frozen. */
  async manifest(batchId: string): Promise<BatchFacts | undefined> {
    return this.sealed.get<BatchFacts>(manifestKey(batchId));
  }

  /** The manifest of a batch that must exist. @throws StagingLostError */
  async require(batchId: string): Promise<BatchFacts> {
    return this.sealed.require<BatchFacts>(manifestKey(batchId));
  }

  /** Rows `[from, to)` of a batch, `to` at most its number of rows. @throws StagingLostError */
  async rows(batchId: string, from: number, to: number): Promise<FrozenRow[]> {
    try {
      return await this.#rows.read(rowsPrefix(batchId), from, to);
    } catch (error) {
      if (error instanceof StagingLostError) await this.#lose(batchId);
      throw error;
    }
  }

  /** The right row of that index. @throws StagingLostError, or Error where there is none */
  async row(batchId: string, index: number): Promise<RightRow> {
    const [found] = await this.rows(batchId, index, index + 1);
    if (found !== undefined && isRight(found)) return found;
    throw new Error(`row ${index} of ${batchId} ${found === undefined ? "does not exist" : "can't run"}`);
  }

  /** The bytes of a document, as they were when the batch was frozen. @throws StagingLostError */
  async document(batchId: string, line: number, identifier: string): Promise<SealedStream> {
    const key = documentKey(batchId, line, identifier);
    const found = await sealedStream(this.sealed, key);
    if (found !== undefined) return found;
    await this.#lose(batchId);
    throw new StagingLostError(key, "gone from the lake's staging area");
  }

  async *#copied(batchId: string, rows: AsyncIterable<FreezableRow>, hash: Hash): AsyncGenerator<FrozenRow> {
    for await (const { row, documents } of rows) {
      if (isRight(row)) await this.#copyDocuments(batchId, row, documents);
      hash.update(batchLine(row.line, isRight(row) ? row : row.problems));
      yield row;
    }
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

  /** A batch has lost a part: without its manifest, `freeze` copies everything again. */
  async #lose(batchId: string): Promise<void> {
    await this.sealed.delete(manifestKey(batchId));
  }
}

export function batchPrefix(batchId: string): string {
  return `_staging/${batchId}/`;
}

function manifestKey(batchId: string): string {
  return `${batchPrefix(batchId)}batch`;
}

function rowsPrefix(batchId: string): string {
  return `${batchPrefix(batchId)}customers/`;
}

function documentKey(batchId: string, line: number, identifier: string): string {
  const hash = createHash("sha256").update(identifier).digest("hex").slice(0, 16);
  return `${batchPrefix(batchId)}documents/${line}-${hash}`;
}

function changed(what: string): InputError {
  return new InputError(
    `${what} changed while it was read. Nothing was started. Run the command again once the file is complete.`,
  );
}

/**
 * Keeps an outcome, sealed and durable, until `recordOutcomes` writes it into the tables; workflows know its name only.
 * The same name again replaces it.
 */
export async function putOutcome(sealed: SealedStore, batchId: string, outcome: Outcome): Promise<void> {
  await sealed.put(outcomeKey(batchId, outcome), outcome, { durable: true });
}

/** A kept outcome. @throws StagingLostError */
export async function getOutcome(sealed: SealedStore, batchId: string, name: OutcomeName): Promise<Outcome> {
  return sealed.require<Outcome>(outcomeKey(batchId, name));
}

export async function findOutcome(
  sealed: SealedStore,
  batchId: string,
  name: OutcomeName,
): Promise<Outcome | undefined> {
  return sealed.get<Outcome>(outcomeKey(batchId, name));
}

function outcomeKey(batchId: string, { line, attempt, version }: OutcomeName): string {
  return `${batchPrefix(batchId)}outcomes/${line}-${attempt}-${version}`;
}
