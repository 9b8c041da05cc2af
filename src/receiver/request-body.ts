import type { IncomingMessage } from "node:http";

/**
 * Reads a request's body; undefined as soon as it is larger than it may be, and then the rest is thrown away.
 *
 * @throws Error when the sender breaks off.
 */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(undefined);
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the sender broke off")));
  });
}
