import { rm, stat } from "node:fs/promises";
import { growFile } from "../local/local-store-files.js";
import type { GrowingObject } from "../object-store.js";
import type { ObjectCache } from "./object-cache.js";
import type { S3Bucket } from "./s3-bucket.js";

interface Grown {
  readonly path: string;
  /** Bytes that the bucket has. */
  sent: number;
}

/**
 * Objects that this process appends to. An object of a bucket can't grow: the bytes are kept in a file, and the bucket gets
 * the whole object when it is made durable or closed (docs/inside/rules.md, "A lake in a bucket").
 */
export class GrownObjects {
  readonly #open = new Map<string, Grown>();

  constructor(
    private readonly bucket: S3Bucket,
    private readonly cache: ObjectCache,
  ) {}

  /** The file of an object that is open here. */
  pathOf(key: string): string | undefined {
    return this.#open.get(key)?.path;
  }

  async grow(key: string): Promise<GrowingObject> {
    const path = await this.cache.partial();
    const { append, close } = growFile(path, 0o600);
    this.#open.set(key, { path, sent: 0 });
    return {
      append,
      close: async () => {
        await close();
        try {
          await this.send(key);
          await this.cache.adopt(key, path);
        } finally {
          this.#open.delete(key);
          await rm(path, { force: true });
        }
      },
    };
  }

  /** Sends what the bucket does not have of an object that is open here. */
  async send(key: string): Promise<void> {
    const grown = this.#open.get(key);
    if (grown === undefined) return;
    const { size } = await stat(grown.path);
    if (size === grown.sent) return;
    await this.bucket.putFile(key, grown.path);
    grown.sent = size;
  }
}
