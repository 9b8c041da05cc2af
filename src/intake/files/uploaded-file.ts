import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { constants, open, stat } from "node:fs/promises";
import { extname } from "node:path";
import type { BrokenRule, NamedFile, RowProblem } from "../../domain/row-problem.js";

/** Other extensions: the request names no type. */
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

/** By path, hashed once, or what is wrong. */
export type InspectedFiles = Map<string, NamedFile | BrokenRule>;

/** By column. */
export async function inspectFiles(
  line: number,
  paths: ReadonlyMap<string, string>,
  inspected: InspectedFiles,
): Promise<{ found: [string, NamedFile][]; problems: RowProblem[] }> {
  const found: [string, NamedFile][] = [];
  const problems: RowProblem[] = [];
  for (const [column, path] of paths) {
    const known = inspected.get(path) ?? (await inspectFile(path));
    inspected.set(path, known);
    if ("rule" in known) problems.push({ line, column, ...known });
    else found.push([column, known]);
  }
  return { found, problems };
}

/** What has become a pipe since has no bytes: no command waits for it. */
export async function* uploadedBytes(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  yield* file.createReadStream() as AsyncIterable<Buffer>;
}

async function inspectFile(path: string): Promise<NamedFile | BrokenRule> {
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
