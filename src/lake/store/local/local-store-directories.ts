import { mkdir } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { errorCode } from "./local-store-errors.js";
import { syncToDisk } from "./local-store-files.js";

const MOST_KNOWN = 2_000;

/**
 * Directories whose names survive a power cut. An existing directory may come from a write that did not ask for
 * durability, so its name is synced in its parent all the same: once in the life of a process.
 */
export class DurableDirectories {
  readonly #known = new Set<string>();

  /** @param sync makes the names in a directory durable. */
  constructor(
    private readonly root: string,
    private readonly sync: (directory: string) => Promise<void> = syncToDisk,
  ) {}

  /** Makes a directory below the root if it is missing, and makes every name on the way to it durable. */
  async make(directory: string, mode: number): Promise<void> {
    const first = await mkdir(directory, { recursive: true, mode });
    const isNew = (path: string) => first !== undefined && path.length >= first.length;
    const isDue = (path: string) =>
      isNew(path) || (path.length >= this.root.length && !this.#known.has(path));
    for (let path = directory; isDue(path); path = dirname(path)) {
      await this.#syncName(path, isNew(path));
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.add(path);
    }
  }

  /** Forgets a deleted directory with all below it: made again, its name is not on the disk yet. */
  forget(directory: string): void {
    for (const path of this.#known) {
      if (path === directory || path.startsWith(`${directory}${sep}`)) this.#known.delete(path);
    }
  }

  async #syncName(path: string, isNew: boolean): Promise<void> {
    try {
      await this.sync(dirname(path));
    } catch (error) {
      // This user need not be able to read what is above the root; an existing root was made durable as far as possible.
      if (isNew || path.length > this.root.length || !["EACCES", "EPERM"].includes(errorCode(error)))
        throw error;
    }
  }
}
