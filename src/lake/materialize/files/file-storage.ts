import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Lake } from "../../lake.js";
import { type DataFile, scratchPath, storeFiles } from "../../tables/parquet-file.js";
import { transactions } from "../../tables/transactions.js";
import type { WrittenFile } from "../../tables/written-files.js";

/** Files that wait for the disk together: small ones take it as long as one does. */
const STORED_AT_ONCE = 4;

/** A file that a commit is to refer to. */
interface StoredFile extends DataFile {
  /** Its rows are those of files that it replaces, unchanged. */
  readonly same: boolean;
}

/** Stores files in the table while SQL goes on with the next ones. */
export class FileStorage {
  readonly #lake: Lake;
  readonly #prefix: string;
  readonly #directory: string;
  readonly #stored: StoredFile[] = [];
  #made: Promise<unknown> | undefined;
  #waiting: { file: WrittenFile; same: boolean }[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(lake: Lake, prefix: string) {
    this.#lake = lake;
    this.#prefix = prefix;
    this.#directory = scratchPath(lake, "materialize");
  }

  /** A new path in scratch for SQL to write to; nothing is left there in the end. */
  async scratch(extension: string): Promise<string> {
    this.#made ??= this.#lake.duckdb.makeScratch().then(() => mkdir(this.#directory, { recursive: true }));
    await this.#made;
    return join(this.#directory, `${randomUUID()}.${extension}`);
  }

  /**
   * Takes files over; `same` where their rows are those of the files that they replace. Waits only for those before
   * the last ones, so that few of them lie in scratch.
   */
  async store(files: readonly WrittenFile[], same: boolean): Promise<void> {
    this.#waiting.push(...files.map((file) => ({ file, same })));
    if (this.#waiting.length < STORED_AT_ONCE) return;
    const before = this.#last;
    this.#storeWaiting();
    await before;
  }

  /** All files, once they are durable. */
  async finished(): Promise<readonly StoredFile[]> {
    this.#storeWaiting();
    await this.#last;
    await rm(this.#directory, { force: true, recursive: true });
    return this.#stored;
  }

  /** Takes all stored files away again: no commit refers to them. */
  async discard(): Promise<void> {
    await this.#last.catch(() => undefined);
    await rm(this.#directory, { force: true, recursive: true });
    await Promise.all(
      this.#stored.map(({ path }) => this.#lake.store.delete(`${transactions.name}/${path}`)),
    );
  }

  #storeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#last = this.#last.then(async () => {
      const files = waiting.map(({ file }) => file);
      const stored = await storeFiles(this.#lake, transactions, this.#prefix, files);
      this.#stored.push(...stored.map((file, at) => ({ ...file, same: waiting[at]?.same === true })));
    });
    // Whoever waits next gets the failure; until then it must not count as unhandled.
    this.#last.catch(() => undefined);
  }
}
