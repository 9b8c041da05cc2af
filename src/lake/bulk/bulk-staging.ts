import { createHash, scryptSync } from "node:crypto";
import {
  type Asker,
  type BulkOptions,
  type FailedItem,
  type FrozenBulkRow,
  frozenLine,
  type RefutedItem,
} from "../../domain/bulk/bulk-job.js";
import { changedInput, freezeFiles, frozenFile } from "../frozen-files.js";
import type { PartBounds } from "../parts.js";
import { SealedRows } from "../store/sealed-rows.js";
import type { Kept, SealedStore, SealedStream } from "../store/sealed-store.js";

export interface StagedResult {
  readonly item: number;
  readonly result: unknown;
}

/** Writer and reader hold one object of results in memory. */
const PART_BYTES = 8 * 1024 * 1024;

/** Stages results durably, a few in memory at a time. */
class KeptResults {
  readonly #names: string[] = [];
  #results: StagedResult[] = [];
  #bytes = 0;

  constructor(
    private readonly name: string,
    private readonly put: (name: string, results: readonly StagedResult[]) => Promise<void>,
  ) {}

  /** Returns the result's bytes. */
  async add(result: StagedResult): Promise<number> {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    this.#results.push(result);
    this.#bytes += bytes;
    if (this.#bytes >= PART_BYTES) await this.#flush();
    return bytes;
  }

  async #flush(): Promise<void> {
    const results = this.#results;
    const name = `${this.name}.${this.#names.length}`;
    this.#names.push(name);
    this.#results = [];
    this.#bytes = 0;
    await this.put(name, results);
  }

  /** Writes the rest; returns the names of all objects. */
  async end(): Promise<readonly string[]> {
    if (this.#results.length > 0) await this.#flush();
    return this.#names;
  }
}

/** Written last: rows with a manifest are complete. */
export interface FrozenFile {
  readonly kind: string;
  readonly options: BulkOptions;
  /** Invalid ones included. */
  readonly rows: number;
  readonly invalid: number;
  /** Hex, of the rows. */
  readonly sha256: string;
  /** Table rows are written once under its name, also by later runs. */
  readonly origin: string;
  readonly asker: Asker;
  /** What no record may show. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Null for a file. */
  readonly retryOf: string | null;
  readonly groups: PartBounds & { readonly total: number };
}

export interface StagedPlan {
  readonly work: readonly { readonly lines: readonly number[]; readonly given?: unknown }[];
  readonly ended: readonly { readonly lines: readonly number[]; readonly result: unknown }[];
}

export interface StagedClose {
  readonly results: readonly string[];
  readonly failed: readonly FailedItem[];
}

/** A second writer gets what the first one wrote. */
type WriteOnce<T> = Pick<Kept<T>, "find" | "require" | "putIfAbsent">;

export type BytesOf = (
  row: FrozenBulkRow,
  column: string,
) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;

type Rows = AsyncIterable<FrozenBulkRow> | Iterable<FrozenBulkRow>;

/** Of a group's rows, unless one row has more. */
const GROUP_BYTES = 8 * 1024 * 1024;

export class BulkStaging {
  /** Missing until the file is frozen, and once the staging was dropped. */
  readonly file: WriteOnce<FrozenFile>;
  /** Items that failed by the whole run. */
  readonly refuted: WriteOnce<readonly RefutedItem[]>;

  /** @param id the job's for a job with an effect, else the run's */
  constructor(
    private readonly sealed: SealedStore,
    private readonly id: string,
    private readonly frozen = new SealedRows<FrozenBulkRow>(sealed),
  ) {
    this.file = this.#once("file");
    this.refuted = this.#once("refuted");
  }

  /**
   * Copies a file's rows and the files that they name; what is frozen stays, unless a part is gone.
   * @param groupRows most rows of a group
   * @param bytes opens a file that a row names
   * @throws InputError where rows or files do not have their hash; nothing is frozen then
   */
  async freeze(
    file: Omit<FrozenFile, "groups">,
    rows: Rows,
    groupRows: number,
    bytes?: BytesOf,
  ): Promise<FrozenFile> {
    const there = await this.file.find();
    if (there !== undefined && (await this.#hasRows(there))) {
      if (bytes !== undefined) for await (const _ of this.#withFiles(rows, bytes));
      return there;
    }
    // Plans name the groups.
    const { sha256, groups } = await this.copyRows(rows, there?.groups ?? { count: groupRows }, bytes);
    if (sha256 !== file.sha256) throw changedInput("The input file");
    return this.file.putIfAbsent({ ...file, groups });
  }

  async copyRows(
    rows: Rows,
    { count, bytes: most = GROUP_BYTES }: Pick<PartBounds, "count"> & Partial<PartBounds>,
    bytes?: BytesOf,
  ): Promise<Pick<FrozenFile, "rows" | "invalid" | "sha256" | "groups">> {
    const hash = createHash("sha256");
    const counts = { rows: 0, invalid: 0 };
    const withFiles = this.#withFiles(rows, bytes);
    async function* counted() {
      for await (const row of withFiles) {
        hash.update(frozenLine(row));
        counts.rows += 1;
        if (row.row === null) counts.invalid += 1;
        yield row;
      }
    }
    const bounds = { count, bytes: most };
    const total = await this.frozen.write(this.#key("groups/"), counted(), bounds);
    return { ...counts, sha256: hash.digest("hex"), groups: { ...bounds, total } };
  }

  #hasRows({ groups }: FrozenFile): Promise<boolean> {
    return this.frozen.hasChunks(this.#key("groups/"), groups.total);
  }

  /** @throws StagingLostError */
  bytes(line: number, column: string): Promise<SealedStream> {
    return frozenFile(this.sealed, this.#key(""), line, column);
  }

  readonly bytesOf: BytesOf = async ({ line }, column) => (await this.bytes(line, column)).open();

  async *#withFiles(rows: Rows, bytes: BytesOf | undefined): AsyncGenerator<FrozenBulkRow> {
    for await (const row of rows) {
      if (bytes !== undefined)
        await freezeFiles(this.sealed, this.#key(""), row, (column) => bytes(row, column));
      yield row;
    }
  }

  /** @throws StagingLostError */
  rowsOf(group: number): Promise<readonly FrozenBulkRow[]> {
    return this.frozen.chunk(this.#key("groups/"), group);
  }

  /** @throws StagingLostError */
  async *everyRow({ groups }: FrozenFile): AsyncGenerator<FrozenBulkRow> {
    for (let group = 0; group < groups.total; group += 1) yield* await this.rowsOf(group);
  }

  plan(group: number): WriteOnce<StagedPlan> {
    return this.#once(`plans/${group}`);
  }

  /** The first close counts, unless its results are gone. */
  close(group: number): WriteOnce<StagedClose> & Pick<Kept<StagedClose>, "drop"> {
    return this.sealed.kept(this.#key(`closed/${group}`));
  }

  /** With items that failed by the whole run. */
  async closed(group: number): Promise<StagedClose> {
    const close = await this.close(group).require();
    const refuted = (await this.refuted.find()) ?? [];
    return { ...close, failed: [...close.failed, ...refuted.filter((one) => one.group === group)] };
  }

  /** Ends in `/`. */
  itemPrefix(group: number, item: number): string {
    return this.#key(`items/${group}/${item}/`);
  }

  /** Epoch milliseconds; 0 for none. */
  async lastCallAt(): Promise<number> {
    const entries = await this.sealed.list(this.#key("items/"));
    return entries.reduce((last, { modifiedAt }) => Math.max(last, modifiedAt.getTime()), 0);
  }

  /** A history will hold the name. */
  keepResults(name: string): KeptResults {
    return new KeptResults(name, (part, results) =>
      this.sealed.put(this.#key(`results/${part}`), results, { durable: true }),
    );
  }

  /** @throws StagingLostError */
  results(name: string): Promise<readonly StagedResult[]> {
    return this.sealed.require(this.#key(`results/${name}`));
  }

  async noteWritten(group: number): Promise<void> {
    await this.sealed.kept(this.#key(`written/${group}`)).put(null);
  }

  isWritten(group: number): Promise<boolean> {
    return this.sealed.kept(this.#key(`written/${group}`)).has();
  }

  /** Plans before answers: else the same job would send again what tables already have. */
  async drop(): Promise<void> {
    await this.sealed.deletePrefix(this.#key("plans/"), { durable: true });
    await this.sealed.deletePrefix(this.#key(""), { durable: true });
  }

  #once<T>(name: string): WriteOnce<T> {
    return this.sealed.kept(this.#key(name));
  }

  #key(name: string): string {
    return `_staging/${this.id}/${name}`;
  }
}

/** Slow to make, so that nobody finds a short secret by trying. */
export function secretPrint(secret: string, salt: string): string {
  return scryptSync(secret, salt, 16).toString("hex");
}
