import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Lake } from "../../lake.js";
import { type DataFile, scratchPath, storeFiles, type WrittenFile } from "../../tables/parquet-file.js";
import { transactions } from "../../tables/transactions.js";

/** Files that are synced together: for small ones the disk takes no longer than for one. */
const STORED_AT_ONCE = 4;

interface StoredFile extends DataFile {
  /** Whether its rows are those of the files that it replaces, unchanged. */
  readonly same: boolean;
}

export class FileStorage {
  readonly #directory: string;
  readonly #stored: StoredFile[] = [];
  #made: Promise<unknown> | undefined;
  #waiting: { file: WrittenFile; same: boolean }[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly lake: Lake,
    private readonly prefix: string,
  ) {
    this.#directory = scratchPath(lake, "materialize");
  }

  /** Makes a new path in scratch for SQL to write to; the end of the call clears the scratch. */
  async scratch(extension: string): Promise<string> {
    this.#made ??= this.lake.duckdb.makeScratch().then(() => mkdir(this.#directory, { recursive: true }));
    await this.#made;
    return join(this.#directory, `${randomUUID()}.${extension}`);
  }

  /** Takes files over; waits for all but the last few, so that scratch holds only a few. `same`: no row came or went. */
  async store(files: readonly WrittenFile[], same: boolean): Promise<void> {
    this.#waiting.push(...files.map((file) => ({ file, same })));
    if (this.#waiting.length < STORED_AT_ONCE) return;
    const before = this.#last;
    this.#storeWaiting();
    await before;
  }

  async finished(): Promise<readonly StoredFile[]> {
    this.#storeWaiting();
    await this.#last;
    await rm(this.#directory, { force: true, recursive: true });
    return this.#stored;
  }

  /** Deletes all stored files: no commit refers to them. */
  async discard(): Promise<void> {
    await this.#last.catch(() => undefined);
    await rm(this.#directory, { force: true, recursive: true });
    await Promise.all(this.#stored.map(({ path }) => this.lake.store.delete(`${transactions.name}/${path}`)));
  }

  #storeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#last = this.#last.then(async () => {
      const files = waiting.map(({ file }) => file);
      const stored = await storeFiles(this.lake, transactions, this.prefix, files);
      this.#stored.push(...stored.map((file, at) => ({ ...file, same: waiting[at]?.same === true })));
    });
    // The next wait throws the failure; until then it must not count as unhandled.
    this.#last.catch(() => undefined);
  }
}
