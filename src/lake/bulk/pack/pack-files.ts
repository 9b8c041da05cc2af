import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpublished } from "../../store/local/local-store-errors.js";
import { fileSha256 } from "../../store/local/local-store-files.js";

const BUFFERED_CHARS = 256 * 1024;

export class BufferedText {
  #waiting: string[] = [];
  #chars = 0;

  /** @param written is told of every piece. */
  constructor(
    private readonly handle: FileHandle,
    private readonly written: (piece: Buffer) => void = () => undefined,
  ) {}

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#chars += text.length;
    if (this.#chars >= BUFFERED_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const piece = Buffer.from(this.#waiting.join(""), "utf8");
    this.#waiting = [];
    this.#chars = 0;
    this.written(piece);
    await this.handle.writeFile(piece);
  }
}

export interface PackFile {
  /** Relative to the pack, "/"-separated. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Rows of a table, without the header; null for other files. */
  readonly rows: number | null;
}

/** The lake's group may read them, as the rest of a lake; a tighter umask wins. */
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

/** Whether a path can be that of a file of a pack: it stays inside, and `sha256sum` writes it as it is. */
export function isPackPath(path: string): boolean {
  return !/(^|\/)\.{0,2}(\/|$)|[\0\\\n\r]/.test(path);
}

export class PackFiles {
  readonly #files: PackFile[] = [];

  /** @param directory empty, and nobody else's. */
  constructor(readonly directory: string) {}

  get files(): readonly PackFile[] {
    return [...this.#files].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Writes a text file piece by piece. `write` returns how many rows it wrote; nothing if the file has none. */
  async write(
    path: string,
    write: (out: (text: string) => Promise<void>) => Promise<number | undefined>,
  ): Promise<PackFile> {
    const handle = await open(await this.place(path), "wx", FILE_MODE);
    const hash = createHash("sha256");
    let bytes = 0;
    const text = new BufferedText(handle, (piece) => {
      hash.update(piece);
      bytes += piece.length;
    });
    try {
      const rows = (await write((piece) => text.write(piece))) ?? null;
      await text.flush();
      return this.#keep({ path, sha256: hash.digest("hex"), bytes, rows });
    } catch (error) {
      throw unpublished(error, join(this.directory, path));
    } finally {
      await handle.close();
    }
  }

  /** Adds a file that something else wrote to its {@link place}. */
  async add(path: string, rows: number | null): Promise<PackFile> {
    const local = join(this.directory, path);
    const { size } = await stat(local);
    return this.#keep({ path, sha256: await fileSha256(local), bytes: size, rows });
  }

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
