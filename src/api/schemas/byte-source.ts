import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { InputError } from "../../domain/failures.js";

/** Bytes that are read while they are sent. */
export interface ByteSource {
  /** Undefined: the body is sent in chunks. */
  readonly size: number | undefined;
  /** From the start; a call that queues again opens them again. */
  open(): AsyncIterable<Uint8Array>;
}

export type Bytes = string | Uint8Array | ByteSource;

export const bytes = z
  .custom<Bytes>(
    (value) => typeof value === "string" || value instanceof Uint8Array || isByteSource(value),
    "not text, bytes or a source of bytes",
  )
  .describe("raw bytes, streamed");

export function isByteSource(value: unknown): value is ByteSource {
  return typeof value === "object" && value !== null && "open" in value && typeof value.open === "function";
}

/** The bytes of a file. @throws InputError when it can't be read */
export async function fileBytes(path: string): Promise<ByteSource> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(
      `${path} can't be read (${error.code}); nothing was sent. Give a file that can be read`,
    );
  });
  if (!found.isFile()) throw new InputError(`${path} is not a file; nothing was sent. Give a file`);
  return { size: found.size, open: () => createReadStream(path) };
}
