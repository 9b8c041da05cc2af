import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RecordedRequest } from "../calls.js";
import { Refusal, refuse } from "./answer.js";

/** The largest JSON body. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** The body of a request: read once, its size and digest noted in the record, never its contents. */
export class RequestBody {
  #bytes: Buffer | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly record: RecordedRequest,
  ) {}

  get contentType(): string | undefined {
    return this.request.headers["content-type"];
  }

  /** Reads the whole body. @throws Refusal 413 above `limit` bytes. */
  async read(limit = MAX_JSON_BYTES): Promise<Buffer> {
    if (this.#bytes) return this.#bytes;
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(limit)) chunks.push(chunk);
    this.#bytes = Buffer.concat(chunks);
    return this.#bytes;
  }

  /** The body piece by piece. @throws Refusal 413 above `limit` bytes, at once where its length is declared. */
  async *chunks(limit: number): AsyncGenerator<Buffer> {
    if (Number(this.request.headers["content-length"] ?? 0) > limit) tooLarge(limit);
    const hash = createHash("sha256");
    let size = 0;
    // Left unread at a refusal, not destroyed: the answer goes out on the same socket.
    for await (const chunk of this.request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > limit) tooLarge(limit);
      hash.update(chunk as Buffer);
      yield chunk as Buffer;
    }
    this.record.body_bytes = size;
    this.record.body_sha256 = hash.digest("hex");
  }

  /** The JSON that was read before, `undefined` for an empty body. @throws Refusal 400, 415 */
  json(): unknown {
    const bytes = this.#bytes ?? Buffer.alloc(0);
    if (bytes.length === 0) return undefined;
    if (!/^application\/json(;|$)/i.test(this.contentType ?? "")) {
      throw new Refusal(415, "unsupported_media_type", "the body must be application/json");
    }
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      return refuse("body: not JSON");
    }
  }
}

function tooLarge(limit: number): never {
  throw new Refusal(413, "too_large", `the body has more than ${limit} bytes`);
}
