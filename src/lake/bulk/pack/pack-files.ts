import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpublished } from "../../store/local-store-errors.js";

/** A file of a pack, as its manifest has it. */
export interface PackFile {
  /** Relative to the pack, "/"-separated. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Rows of a table, without the line of names; null for other files. */
  readonly rows: number | null;
}

/** Readable by the lake's group, as the rest of a lake is; tighter where the umask is. */
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;
const BUFFERED_CHARS = 256 * 1024;

/** Whether a path can be that of a file of a pack: it stays inside, and `sha256sum` writes it as it is. */
export function isPackPath(path: string): boolean {
  return !/(^|\/)\.{0,2}(\/|$)|[\0\\\n\r]/.test(path);
}

/** Writes the files of a pack into its directory and keeps what the manifest says of each. */
export class PackFiles {
  readonly #files: PackFile[] = [];

  /** @param directory empty, and nobody else's. */
  constructor(readonly directory: string) {}

  /** What was written so far, in the order of paths. */
  get files(): readonly PackFile[] {
    return [...this.#files].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Writes a text file piece by piece. `write` says how many rows it wrote, or nothing where it has none. */
  async write(
    path: string,
    write: (out: (text: string) => Promise<void>) => Promise<number | undefined>,
  ): Promise<PackFile> {
    const handle = await open(await this.place(path), "wx", FILE_MODE);
    try {
      const text = new HashedText(handle);
      const rows = (await write((piece) => text.write(piece))) ?? null;
      const { sha256, bytes } = await text.end();
      return this.#keep({ path, sha256, bytes, rows });
    } catch (error) {
      throw unpublished(error, join(this.directory, path));
    } finally {
      await handle.close();
    }
  }

  /** Takes a file in that something else wrote to its {@link place}. */
  async add(path: string, rows: number | null): Promise<PackFile> {
    const local = join(this.directory, path);
    const { size } = await stat(local);
    return this.#keep({ path, sha256: await fileSha256(local), bytes: size, rows });
  }

  /** The path of a file to be written; its directory is there. */
  async place(path: string): Promise<string> {
    if (!isPackPath(path)) throw new Error(`${JSON.stringify(path)} is not the path of a file of a pack`);
    const local = join(this.directory, path);
    await mkdir(dirname(local), { recursive: true, mode: DIRECTORY_MODE });
    return local;
  }

  #keep(file: PackFile): PackFile {
    this.#files.push(file);
    return file;
  }
}

/** Hex sha256 of a file, read piece by piece. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

/** Text on its way into a file, hashed as it goes. */
class HashedText {
  readonly #hash = createHash("sha256");
  #waiting: string[] = [];
  #chars = 0;
  #bytes = 0;

  constructor(private readonly handle: FileHandle) {}

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#chars += text.length;
    if (this.#chars >= BUFFERED_CHARS) await this.#flush();
  }

  async end(): Promise<{ sha256: string; bytes: number }> {
    await this.#flush();
    return { sha256: this.#hash.digest("hex"), bytes: this.#bytes };
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(""), "utf8");
    this.#waiting = [];
    this.#chars = 0;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.handle.writeFile(bytes);
  }
}
