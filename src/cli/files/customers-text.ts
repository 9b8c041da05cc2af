import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { InputError } from "../../domain/failures.js";

/** One row may be this long; a line without an end must not fill the memory. */
export const LONGEST_ROW = 16 * 1024 * 1024;

/** An InputError about a customers file as a whole. */
export function customersError(path: string, problem: string, advice: string): InputError {
  return new InputError(`customers file ${path} ${problem}. Nothing was started. ${advice}`);
}

/** The text of a file in pieces, without a BOM. @throws InputError for what is no UTF-8, naming the line. */
export async function* customersText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
      if (isFirst && isUtf16(bytes)) throw customersError(path, "is UTF-16", "Save it as UTF-8.");
      isFirst = false;
      const text = decoder.decode(bytes, { stream: true });
      if (text !== "") yield text;
    }
    decoder.decode();
  } catch (error) {
    throw await readFailure(path, error);
  }
}

/** Whether a file is JSONL: by its extension, else by how it begins. */
export async function isJsonl(path: string): Promise<boolean> {
  const extension = extname(path).toLowerCase();
  if (extension === ".jsonl" || extension === ".ndjson") return true;
  if (extension === ".csv") return false;
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
      return buffer
        .toString("utf8", 0, bytesRead)
        .replace(/^\ufeff/, "")
        .trimStart()
        .startsWith("{");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw await readFailure(path, error);
  }
}

async function readFailure(path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof InputError) return error;
  const code = "code" in error ? error.code : undefined;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    const line = await badLine(path);
    return customersError(path, `line ${line}: not UTF-8`, "Save it as UTF-8.");
  }
  if (code === "ENOENT") return customersError(path, "is not there", "Check the path given to --customers.");
  if (code === "EISDIR") return customersError(path, "is a directory", "Give a file to --customers.");
  if (code === undefined) return error;
  return customersError(path, `can't be read (${code})`, "Check its permissions.");
}

function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** The first line that is no UTF-8; the file is read once more for it, because decoding says no place. */
async function badLine(path: string): Promise<number> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      if (!isUtf8(Buffer.concat([rest, bytes.subarray(from, end)]))) return line;
      rest = Buffer.alloc(0);
      from = end + 1;
      line += 1;
    }
    rest = Buffer.concat([rest, bytes.subarray(from)]);
  }
  return line;
}
