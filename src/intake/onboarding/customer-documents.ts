import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname } from "node:path";
import type { CustomerDocument } from "../../domain/onboarding/customer.js";
import type { BrokenRule } from "../../domain/row-problem.js";

/** Content types by extension; for other extensions the request names no type. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".heic": "image/heic",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".tif": "image/tiff",
  ".tiff": "image/tiff",
  ".txt": "text/plain",
  ".webp": "image/webp",
};

/** Inspects a file to upload, or says why it can't be uploaded, without its path. */
export async function inspectDocument(path: string): Promise<CustomerDocument | BrokenRule> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { code: "directory", rule: "is the path of a directory" };
    if (!found.isFile()) return { code: "not_file", rule: "is not a regular file" };
    if (found.size === 0) return { code: "empty_file", rule: "is the path of an empty file" };
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
    const contentType = CONTENT_TYPES[extname(path).toLowerCase()] ?? null;
    return { bytes, sha256: hash.digest("hex"), contentType };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR")
      return { code: "no_file", rule: "is the path of a file that is not there" };
    return { code: "unreadable_file", rule: `is the path of a file that can't be read (${code})` };
  }
}
