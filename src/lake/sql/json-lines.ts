import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const LINES_AT_ONCE = 1_000;

/** Writes values as a file with a line of JSON for each. Returns the bytes of the longest line. */
export function writeJsonLines(path: string, values: Iterable<unknown>): Promise<number> {
  function* lines() {
    for (const value of values) yield jsonLine(value);
  }
  return writeLines(path, lines());
}

/** Writes lines as they are, and returns the bytes of the longest one. */
export async function writeLines(path: string, lines: Iterable<string>): Promise<number> {
  let longest = 0;
  function* chunks() {
    let chunk: string[] = [];
    for (const line of lines) {
      longest = Math.max(longest, Buffer.byteLength(line));
      chunk.push(line);
      if (chunk.length < LINES_AT_ONCE) continue;
      yield chunk.join("");
      chunk = [];
    }
    yield chunk.join("");
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { mode: 0o600 }));
  return longest;
}

export function jsonLine(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return `${JSON.stringify(value, replacer)}\n`;
}

/** A replacer for JSON.stringify: texts may quote the service, and DuckDB refuses half a surrogate pair. */
export function withoutHalfPairs(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : value;
}
