import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { DAY, HOUR } from "../../../domain/duration.js";
import { errorCode, isAbsent, unpublished } from "../local/local-store-errors.js";
import { syncToDisk } from "../local/local-store-files.js";

/** A query may be about to read a file used since then. */
const IN_USE_MS = HOUR;
/** A growing file of this age is a dead process's. */
const DEAD_MS = DAY;
const PARTIAL = ".part-";

export interface ObjectCacheOptions {
  readonly directory: string;
  /** Beyond this, the files go that were not used for longest. */
  readonly mostBytes: number;
}

/** Files of objects that never change, shared by the processes of a machine. */
export class ObjectCache {
  constructor(
    private readonly address: string,
    private readonly options: ObjectCacheOptions,
  ) {}

  /** The path of an object's file; undefined for none. Counts as a use. */
  async find(key: string): Promise<string | undefined> {
    const path = this.pathOf(key);
    const now = new Date();
    try {
      await utimes(path, now, now);
      return path;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Adds the file that `write` makes, whole or not at all, unless that returns false. */
  async add(key: string, write: (path: string) => Promise<boolean>): Promise<string | undefined> {
    const path = await this.partial();
    try {
      return (await write(path)) ? await this.adopt(key, path) : undefined;
    } catch (error) {
      throw unpublished(error, path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** For bytes that no object has yet. */
  async partial(): Promise<string> {
    await this.#makeDirectory();
    return join(this.options.directory, `${PARTIAL}${randomUUID()}`);
  }

  /** Makes a file of the same file system an object's. */
  async adopt(key: string, file: string): Promise<string> {
    const path = this.pathOf(key);
    const { size } = await stat(file);
    await this.#makeDirectory();
    // A file must have its bytes after a power cut.
    await syncToDisk(file);
    await rename(file, path);
    await this.#bound(size);
    return path;
  }

  async drop(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  pathOf(key: string): string {
    const name = createHash("sha256").update(`${this.address}/${key}`).digest("hex").slice(0, 40);
    return join(this.options.directory, name);
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.options.directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Looks at the directory about once for a sixteenth of the bound, by chance: many processes that add little each need
   * no count.
   */
  async #bound(size: number): Promise<void> {
    const { directory, mostBytes } = this.options;
    if (size < (Math.random() * mostBytes) / 16) return;
    const files = [];
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile() && !(name.startsWith(PARTIAL) && Date.now() - found.mtimeMs < DEAD_MS))
        files.push({ path, size: found.size, usedAt: found.mtimeMs });
    }
    let total = files.reduce((sum, file) => sum + file.size, 0);
    for (const { path, size: bytes, usedAt } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= mostBytes || Date.now() - usedAt < IN_USE_MS) break;
      // Another process has used it since.
      if ((await stat(path).catch(() => undefined))?.mtimeMs !== usedAt) continue;
      await rm(path, { force: true }).catch((error) => {
        if (errorCode(error) !== "EACCES") throw error;
      });
      total -= bytes;
    }
  }
}
