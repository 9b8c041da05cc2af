import { createHash } from "node:crypto";
import type { Asker, BulkOptions } from "../../domain/bulk/bulk-job.js";
import { type FailedItem, type FrozenBulkRow, frozenLine } from "../../domain/bulk/frozen-row.js";
import { InputError } from "../../domain/failures.js";
import type { SealedRows } from "../store/sealed-rows.js";
import type { SealedStore } from "../store/sealed-store.js";

/** The manifest of a frozen file: it is written last, so rows that have one are whole. */
interface FrozenFile {
  /** Kind of the job. */
  readonly kind: string;
  readonly options: BulkOptions;
  /** Of the file, wrong ones counted. */
  readonly rows: number;
  readonly invalid: number;
  /** Hex, of the rows. */
  readonly sha256: string;
  /** Run that froze it: rows of tables are written once under its name, also where a later run continues it. */
  readonly origin: string;
  readonly asker: Asker;
  /** What the command was given that no record may say; null where it is to be given again. */
  readonly secrets: Readonly<Record<string, string | null>>;
  /** Run whose failed rows these are; null for a file. */
  readonly retryOf: string | null;
}

/** How the rows of a group are worked on, by their lines; those that need no work come last. */
export interface StagedPlan {
  readonly work: readonly (readonly number[])[];
  readonly ended: readonly { readonly lines: readonly number[]; readonly result: unknown }[];
}

/** What a closed group came to: where its results are, and which items failed. */
export interface StagedClose {
  /** Names of {@link BulkStaging.putResults}. */
  readonly results: readonly string[];
  readonly failed: readonly FailedItem[];
}

/** The results of items that one slice brought to their end. */
type StagedResults = readonly { readonly item: number; readonly result: unknown }[];

/** Rows that are read at once where all are gone through. */
const READ_ROWS = 500;

/** What a bulk job keeps in the staging area, all of it sealed. */
export class BulkStaging {
  /** @param id names the staging: of a job with an effect the job's id, else the run's. */
  constructor(
    private readonly sealed: SealedStore,
    private readonly frozen: SealedRows<FrozenBulkRow>,
    private readonly id: string,
  ) {}

  /**
   * Copies the rows of a file; a file that is frozen already stays as it is, but for rows that were lost.
   *
   * @throws InputError where the rows are others than those whose hash is given; nothing is frozen then.
   */
  async freeze(
    file: FrozenFile,
    rows: AsyncIterable<FrozenBulkRow> | Iterable<FrozenBulkRow>,
  ): Promise<void> {
    if (await this.#isFrozen()) return;
    const hash = createHash("sha256");
    async function* hashed() {
      for await (const row of rows) {
        hash.update(frozenLine(row));
        yield row;
      }
    }
    await this.frozen.write(this.#key("rows/"), hashed());
    if (hash.digest("hex") !== file.sha256) {
      throw new InputError(
        "The input file changed while it was read. Nothing was started. Run the command again when it is complete.",
      );
    }
    await this.sealed.putIfAbsent(this.#key("file"), file);
  }

  /** What is known of the frozen file; undefined where none was frozen to its end, or it was dropped. */
  async findFile(): Promise<FrozenFile | undefined> {
    return this.sealed.get(this.#key("file"));
  }

  /** As {@link findFile}, of one that must be there. @throws StagingLostError */
  async file(): Promise<FrozenFile> {
    return this.sealed.require(this.#key("file"));
  }

  /** The rows `[from, to)`. @throws StagingLostError when they are gone. */
  async rows(from: number, to: number): Promise<FrozenBulkRow[]> {
    const { rows } = await this.file();
    return this.frozen.read(this.#key("rows/"), from, Math.min(to, rows));
  }

  /** Every row of a file, a few in memory at a time. @throws StagingLostError when they are gone. */
  async *everyRow({ rows }: FrozenFile): AsyncGenerator<FrozenBulkRow> {
    for (let at = 0; at < rows; at += READ_ROWS) {
      yield* await this.frozen.read(this.#key("rows/"), at, Math.min(rows, at + READ_ROWS));
    }
  }

  async plan(group: number): Promise<StagedPlan | undefined> {
    return this.sealed.get(this.#key(`plans/${group}`));
  }

  /** @throws StagingLostError when it is gone. */
  async requirePlan(group: number): Promise<StagedPlan> {
    return this.sealed.require(this.#key(`plans/${group}`));
  }

  /** Keeps the first plan of a group; what was kept. */
  async keepPlan(group: number, plan: StagedPlan): Promise<StagedPlan> {
    const first = await this.sealed.putIfAbsent(this.#key(`plans/${group}`), plan);
    return first ? plan : this.requirePlan(group);
  }

  /** Where the calls of an item are staged; ends in `/`. */
  itemPrefix(group: number, item: number): string {
    return this.#key(`items/${group}/${item}/`);
  }

  /** Keeps results, durably: a workflow's history names them. */
  async putResults(name: string, results: StagedResults): Promise<void> {
    await this.sealed.put(this.#key(`results/${name}`), results, { durable: true });
  }

  /** @throws StagingLostError when they are gone. */
  async results(name: string): Promise<StagedResults> {
    return this.sealed.require(this.#key(`results/${name}`));
  }

  /** Keeps how a group was closed first: its rows are written by that; what was kept. */
  async keepClose(group: number, close: StagedClose): Promise<StagedClose> {
    const first = await this.sealed.putIfAbsent(this.#key(`closed/${group}`), close);
    return first ? close : this.close(group);
  }

  /** How a group was closed; undefined where it was not. */
  async findClose(group: number): Promise<StagedClose | undefined> {
    return this.sealed.get(this.#key(`closed/${group}`));
  }

  /** @throws StagingLostError when it is gone. */
  async close(group: number): Promise<StagedClose> {
    return this.sealed.require(this.#key(`closed/${group}`));
  }

  /** Notes, durably, that the tables have the rows of a closed group. */
  async noteWritten(group: number): Promise<void> {
    await this.sealed.put(this.#key(`written/${group}`), null, { durable: true });
  }

  async isWritten(group: number): Promise<boolean> {
    return (await this.sealed.stat(this.#key(`written/${group}`))) !== undefined;
  }

  /**
   * Deletes everything, durably, and the plans before the answers that their items got: by a plan without answers, the
   * same job would send again what is in the tables.
   */
  async drop(): Promise<void> {
    await this.sealed.deletePrefix(this.#key("plans/"), { durable: true });
    await this.sealed.deletePrefix(this.#key(""), { durable: true });
  }

  async #isFrozen(): Promise<boolean> {
    const file = await this.findFile();
    return file !== undefined && (await this.frozen.isWhole(this.#key("rows/"), file.rows));
  }

  #key(name: string): string {
    return `_staging/${this.id}/${name}`;
  }
}
