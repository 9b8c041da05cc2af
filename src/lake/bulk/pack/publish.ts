import { chmod, lstat, readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { DurableDirectories } from "../../store/local/local-store-directories.js";
import { errorCode, isAbsent, unpublished } from "../../store/local/local-store-errors.js";
import { syncToDisk } from "../../store/local/local-store-files.js";

/** As the rest of a lake, it holds personal data: only its owner and its group read it. */
const READ_ONLY = 0o440;
const DIRECTORY_MODE = 0o750;

/**
 * Gives a finished pack its name, durably and as a whole: nobody sees a part of it, a power cut leaves all or nothing,
 * and an existing pack is never replaced. Both paths must be on one file system.
 *
 * @throws InputError where the target exists; the finished pack stays where it is.
 */
export async function publishPack(from: string, target: string): Promise<void> {
  if (await isThere(target)) throw taken(target);
  await makeDurable(from);
  const parent = dirname(target);
  try {
    // Two levels: `_exports/<kind>` may have been made by a run that was killed before its name was durable.
    await new DurableDirectories(dirname(parent)).make(parent, DIRECTORY_MODE);
    await rename(from, target);
    await syncToDisk(parent);
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error))) throw taken(target);
    throw unpublished(error, target);
  }
}

/** Whether a pack of that name exists already, as after a kill right after its publication. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function makeDurable(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      await makeDurable(path);
      continue;
    }
    const { mode } = await lstat(path);
    await chmod(path, mode & READ_ONLY);
    await syncToDisk(path);
  }
  await syncToDisk(directory);
}

function taken(target: string): InputError {
  return new InputError(
    `${target} already exists, and an export is never overwritten. Nothing was changed. ` +
      "To correct it, make a new export that amends it.",
  );
}
