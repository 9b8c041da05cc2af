import { mkdir } from "node:fs/promises";
import { errorCode } from "./local-store-errors.js";

const MOST_KNOWN = 10_000;

/** Directories that this process made or found: a page of a link needs no look at its directory again. */
export class KnownDirectories {
  readonly #known = new Set<string>();

  /** Runs a write in a directory, making that first where it is not known, and again where it has gone. */
  async writeIn(directory: string, mode: number, write: () => Promise<void>): Promise<void> {
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
    await write();
  }
}

/** One level first, which nearly always does: the way up is looked at only where that fails. */
async function makeDirectory(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (errorCode(error) === "ENOENT") await mkdir(directory, { recursive: true, mode });
    else if (errorCode(error) !== "EEXIST") throw error;
  }
}
