import type { FileHandle } from "node:fs/promises";

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
