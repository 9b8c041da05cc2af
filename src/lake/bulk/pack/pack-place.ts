import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { DurableDirectories } from "../../store/local/local-store-directories.js";
import { errorCode, isAbsent, unpublished } from "../../store/local/local-store-errors.js";
import { syncToDisk } from "../../store/local/local-store-files.js";
import { isTemporary, temporaryName } from "../../store/object-store.js";

/** Packs by id. `scratch` is the caller's directory, which it removes. */
export interface PackPlace {
  /** A path, or `s3://…`. */
  addressOf(id: string): string;
  isThere(id: string): Promise<boolean>;
  /** Whole packs or not. */
  names(): Promise<string[]>;
  /** A directory with a pack's files (or some): the pack itself, or copies below `scratch`. */
  read(id: string, scratch: string, paths?: readonly string[]): Promise<string>;
  /** A directory for an attempt; the caller removes it. */
  begin(id: string, scratch: string): Promise<string>;
  /** Of several attempts one counts, however they end. */
  publish(id: string, directory: string): Promise<void>;
  /** Finishes what killed attempts began to publish; whether the pack is there then. */
  resume(id: string, scratch: string): Promise<boolean>;
}

export function directoryPacks(base: string): PackPlace {
  const addressOf = (id: string) => join(base, id);
  /** Only once the pack is there: an attempt that Temporal gave up must not publish a part. */
  async function removeAttempts(id: string): Promise<void> {
    for (const name of await namesIn(base))
      if (isTemporary(name) && name.includes(`-${id}.`))
        await rm(join(base, name), { recursive: true, force: true });
  }
  return {
    addressOf,
    isThere: (id) => isThere(addressOf(id)),
    names: () => namesIn(base),
    read: async (id) => addressOf(id),
    async begin(id) {
      const directory = join(base, temporaryName(`${id}.${randomUUID()}`));
      await mkdir(base, { recursive: true, mode: 0o750 });
      await mkdir(directory, { mode: 0o750 });
      return directory;
    },
    async publish(id, directory) {
      await publishPack(directory, addressOf(id));
      await removeAttempts(id);
    },
    async resume(id) {
      const isDone = await isThere(addressOf(id));
      if (isDone) await removeAttempts(id);
      return isDone;
    },
  };
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
}

/** Personal data: for its owner and its group. */
const READ_ONLY = 0o440;
const DIRECTORY_MODE = 0o750;

/** Names a finished pack, durably and as a whole, on one file system. @throws InputError where the target exists */
export async function publishPack(from: string, target: string): Promise<void> {
  if (await isThere(target)) throw taken(target);
  await makeDurable(from);
  const parent = dirname(target);
  try {
    // A run that made `_exports/<kind>` may have been killed before its name was durable.
    await new DurableDirectories(dirname(parent)).make(parent, DIRECTORY_MODE);
    await rename(from, target);
    await syncToDisk(parent);
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error))) throw taken(target);
    throw unpublished(error, target);
  }
}

/** A pack is there after a kill right behind its publication. */
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
