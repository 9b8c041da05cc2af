import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const LINES_AT_ONCE = 1_000;

export async function writeJsonLines(
  path: string,
  values: Iterable<unknown>,
  replacer?: (key: string, value: unknown) => unknown,
): Promise<number> {
  let longest = 0;
  function* chunks() {
    let lines: string[] = [];
    for (const value of values) {
      const line = `${JSON.stringify(value, replacer)}\n`;
      longest = Math.max(longest, Buffer.byteLength(line));
      lines.push(line);
      if (lines.length < LINES_AT_ONCE) continue;
      yield lines.join("");
      lines = [];
    }
    yield lines.join("");
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { mode: 0o600 }));
  return longest;
}

/** A replacer for JSON.stringify: texts may quote the service, and DuckDB refuses half a surrogate pair. */
export function withoutHalfPairs(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\ufffd") : value;
}
