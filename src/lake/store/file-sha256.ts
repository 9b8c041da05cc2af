import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Each piece is a trip to the thread pool: a small file takes one. */
const PIECE_BYTES = 1024 * 1024;

/** Computes the sha256 (hex) of a file's bytes. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) hash.update(piece);
  return hash.digest("hex");
}
