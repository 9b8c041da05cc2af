import { createHash, type Hash } from "node:crypto";
import { StagingLostError } from "../../domain/failures.js";
import { type FrozenRow, forgottenRow, isRight, type RightRow } from "../../domain/onboarding/customer.js";
import { type BatchPurpose, batchLine } from "../../domain/onboarding/identity.js";
import type { Outcome, OutcomeName } from "../../domain/onboarding/outcome.js";
import { changedInput, freezeFiles, frozenFile } from "../frozen-files.js";
import { SealedRows } from "../store/sealed-rows.js";
import type { Kept, SealedStore, SealedStream } from "../store/sealed-store.js";
import { callsPrefix } from "./call-notes.js";

export interface BatchFacts extends BatchPurpose {
  readonly batchId: string;
  /** Wrong ones included. */
  readonly rows: number;
  /** Hex, of every `batchLine`. */
  readonly sha256: string;
}

export interface FreezableRow {
  readonly row: FrozenRow;
  /** Left out for a wrong row. */
  readonly open?: (column: string) => AsyncIterable<Uint8Array>;
}

/**
 * Customers files, copied once into the staging area and sealed: a file that changes later is another batch, and
 * workflows carry row numbers only.
 */
export class FrozenBatches {
  readonly #rows: SealedRows<FrozenRow>;

  constructor(private readonly sealed: SealedStore) {
    this.#rows = new SealedRows(sealed);
  }

  /**
   * Copies rows and documents of a batch that is not there yet.
   * @throws InputError where one has changed since the batch's id was made; no batch is made then.
   */
  async freeze(facts: BatchFacts, rows: AsyncIterable<FreezableRow>): Promise<void> {
    if ((await this.manifest(facts.batchId)) !== undefined) return;
    const hash = createHash("sha256");
    await this.#rows.write(rowsPrefix(facts.batchId), this.#copied(facts.batchId, rows, hash));
    if (hash.digest("hex") !== facts.sha256) throw changedInput("The customers file");
    // Written last: a batch that has a manifest is whole.
    await this.#manifest(facts.batchId).putIfAbsent(facts);
  }

  /** Undefined where it was not completely frozen. */
  manifest(batchId: string): Promise<BatchFacts | undefined> {
    return this.#manifest(batchId).find();
  }

  /** @throws StagingLostError */
  require(batchId: string): Promise<BatchFacts> {
    return this.#manifest(batchId).require();
  }

  /** Rows `[from, to)`, `to` at most their number. @throws StagingLostError */
  rows(batchId: string, from: number, to: number): Promise<FrozenRow[]> {
    return this.#orLose(batchId, () => this.#rows.read(rowsPrefix(batchId), from, to, true));
  }

  /** @throws StagingLostError, or Error where that row is wrong or not there */
  async row(batchId: string, index: number): Promise<RightRow> {
    const [found] = await this.#orLose(batchId, () => this.#rows.read(rowsPrefix(batchId), index, index + 1));
    if (found !== undefined && isRight(found)) return found;
    throw new Error(`row ${index} of ${batchId} ${found === undefined ? "does not exist" : "can't run"}`);
  }

  /** @throws StagingLostError */
  document(batchId: string, line: number, identifier: string): Promise<SealedStream> {
    return this.#orLose(batchId, () =>
      frozenFile(this.sealed, batchPrefix(batchId), line, documentColumn(identifier)),
    );
  }

  /** As far as they are there. */
  async *everyRow(batchId: string): AsyncGenerator<FrozenRow> {
    for await (const [, rows] of this.#rows.chunks(rowsPrefix(batchId))) yield* rows;
  }

  /**
   * Takes rows out of a batch that does not run, with their documents, outcomes, continuations and answers. They stay as
   * wrong rows, so that no later run asks for anything. After a kill, the next call does the rest.
   */
  async forget(batchId: string, lines: ReadonlySet<number>): Promise<void> {
    for await (const [key, rows] of this.#rows.chunks(rowsPrefix(batchId))) {
      const gone = rows.filter(({ line }) => lines.has(line));
      if (gone.length === 0) continue;
      for (const row of gone) {
        if (isRight(row)) await this.sealed.deletePrefix(callsPrefix(row.rowKey), { durable: true });
      }
      await this.#rows.replace(
        key,
        rows.map((row) => (lines.has(row.line) ? forgottenRow(row) : row)),
      );
    }
    for (const { key } of await this.sealed.list(batchPrefix(batchId))) {
      const [, line] = /\/(?:files|outcomes|continuations)\/(\d+)-/.exec(key) ?? [];
      if (line !== undefined && lines.has(Number(line))) await this.sealed.delete(key);
    }
  }

  async *#copied(batchId: string, rows: AsyncIterable<FreezableRow>, hash: Hash): AsyncGenerator<FrozenRow> {
    for await (const { row, open } of rows) {
      const { line } = row;
      hash.update(batchLine(row));
      if (isRight(row) && open !== undefined) {
        const named = Object.entries(row.customer.documents);
        const files = Object.fromEntries(named.map(([name, file]) => [documentColumn(name), file]));
        await freezeFiles(this.sealed, batchPrefix(batchId), { line, files }, open);
      }
      yield row;
    }
  }

  #manifest(batchId: string): Kept<BatchFacts> {
    return this.sealed.kept(`${batchPrefix(batchId)}batch`);
  }

  /** A part that is lost takes the manifest with it: `freeze` copies everything again then. */
  async #orLose<R>(batchId: string, read: () => Promise<R>): Promise<R> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof StagingLostError) await this.#manifest(batchId).drop();
      throw error;
    }
  }
}

const documentColumn = (identifier: string) => `document.${identifier}`;

export function batchPrefix(batchId: string): string {
  return `_staging/${batchId}/`;
}

function rowsPrefix(batchId: string): string {
  return `${batchPrefix(batchId)}customers/`;
}

/** Until `recordOutcomes` writes it into the tables; workflows know its name only. */
export function keptOutcome(sealed: SealedStore, batchId: string, { line, attempt, version }: OutcomeName) {
  return sealed.kept<Outcome>(`${batchPrefix(batchId)}outcomes/${line}-${attempt}-${version}`);
}
