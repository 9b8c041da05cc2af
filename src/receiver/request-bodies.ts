import type { IncomingMessage } from "node:http";

type BodyRefusal = "too_large" | "busy";

interface UnfinishedBody {
  bytes: number;
  giveUp(): void;
}

/**
 * Reads the bodies of requests. Where they would take too much memory, the oldest unfinished one is refused, so slow senders
 * hold up no fast one.
 */
export class RequestBodies {
  readonly #unfinished = new Set<UnfinishedBody>();
  #bytes = 0;

  constructor(private readonly limits: { readonly bodyBytes: number; readonly unfinishedBytes: number }) {}

  /** Reads one body, or refuses it as soon as possible. @throws Error when the sender disconnects. */
  async read(request: IncomingMessage): Promise<Buffer | BodyRefusal> {
    const { bodyBytes } = this.limits;
    if (Number(request.headers["content-length"] ?? 0) > bodyBytes) return "too_large";
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const end = (result: Buffer | BodyRefusal) => {
        request.off("data", take).pause();
        this.#forget(body);
        chunks.length = 0;
        resolve(result);
      };
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        body.bytes += chunk.length;
        this.#bytes += chunk.length;
        if (body.bytes > bodyBytes) end("too_large");
        else this.#makeRoom();
      };
      const body: UnfinishedBody = { bytes: 0, giveUp: () => end("busy") };
      this.#unfinished.add(body);
      request.on("data", take);
      request.on("end", () => end(Buffer.concat(chunks)));
      request.on("error", reject);
      request.on("close", () => {
        this.#forget(body);
        reject(new Error("the sender disconnected"));
      });
    });
  }

  #makeRoom(): void {
    for (const oldest of this.#unfinished) {
      if (this.#bytes <= this.limits.unfinishedBytes) return;
      oldest.giveUp();
    }
  }

  #forget(body: UnfinishedBody): void {
    if (this.#unfinished.delete(body)) this.#bytes -= body.bytes;
  }
}
