import { rename, rm, stat } from "node:fs/promises";
import { InputError } from "../../domain/failures.js";

/**
 * Makes a file whole or not at all, and leaves no part of it behind.
 *
 * @param make writes it, at the path that it is given, where nothing is
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

/** @throws InputError where there is a file at the path of `--out`, unless it may be replaced */
export async function checkReplaceable(path: string, force = false): Promise<void> {
  if (force || (await stat(path).catch(() => undefined)) === undefined) return;
  throw new InputError(`--out: ${path} is there already. Nothing was written. Replace it with --force.`);
}
