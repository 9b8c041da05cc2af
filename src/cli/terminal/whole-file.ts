import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { InputError } from "../../domain/failures.js";

/**
 * Writes a file whole or not at all.
 * @param make writes it to the path of the part
 */
export async function wholeFile<T>(path: string, make: (part: string) => Promise<T>): Promise<T> {
  const part = `${path}.${process.pid}.part`;
  try {
    await rm(part, { force: true });
    const made = await make(part);
    await rename(part, path);
    return made;
  } finally {
    await rm(part, { force: true });
  }
}

/** @throws InputError where the folder is missing, or the file may not be replaced */
export async function checkReplaceable(path: string, force = false): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw new InputError(
      `--out: there is no folder ${dirname(path)}. Nothing was written. Make it, or name another one.`,
    );
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() === false)
    throw new InputError(`--out: ${path} is no file. Nothing was written. Name a file, which may be new.`);
  if (force || there === undefined) return;
  throw new InputError(`--out: ${path} is there already. Nothing was written. Replace it with --force.`);
}

/** A file that receives a result, whole or not at all. */
export interface OutputFile {
  readonly path: string;
  /** {@link keep} moves it into place. */
  readonly part: string;
  readonly sink: Writable;
  /** Returns the length in bytes. */
  keep(): Promise<number>;
  /** Deletes the part; an existing file stays. */
  discard(): Promise<void>;
}

/**
 * Opens the file before the call: an answer that can't be written would be lost.
 * @throws InputError for a place that can't be written
 */
export async function openOutputFile(path: string): Promise<OutputFile> {
  const part = `${path}.part`;
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined && !there.isFile()) throw unwritable(path, "it is not a regular file");
  const handle = await open(part, "w", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(path, String(error.code));
  });
  const sink = createWriteStream(part, { fd: handle });
  return {
    path,
    part,
    sink,
    async keep() {
      await rename(part, path);
      return (await stat(path)).size;
    },
    async discard() {
      sink.destroy();
      await rm(part, { force: true });
    },
  };
}

function unwritable(path: string, why: string): InputError {
  return new InputError(
    `--output: ${path} can't be written (${why}); nothing was begun. Give a file in an existing folder`,
  );
}
