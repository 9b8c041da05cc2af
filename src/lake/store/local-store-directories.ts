import { mkdir } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { errorCode } from "./local-store-errors.js";
import { syncToDisk } from "./local-store-files.js";

const MOST_KNOWN = 10_000;
const MOST_DURABLE = 2_000;

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
      if (this.#known.size >= MOST_DURABLE) this.#known.clear();
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

/** Directories that this process made or found: writing a page of a link need not look at its directory again. */
export class KnownDirectories {
  readonly #known = new Set<string>();

  /** Runs a write in a directory: makes the directory first unless it is known, and again if it has gone. */
  async writeIn<T>(directory: string, mode: number, write: () => Promise<T>): Promise<T> {
    if (this.#known.has(directory)) {
      try {
        return await write();
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
    }
    await makeDirectory(directory, mode);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(directory);
    return write();
  }
}

/** Makes one level first, which is nearly always enough, and the whole path only where that fails. */
async function makeDirectory(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (errorCode(error) === "ENOENT") await mkdir(directory, { recursive: true, mode });
    else if (errorCode(error) !== "EEXIST") throw error;
  }
}
