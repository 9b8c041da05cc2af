import { constants } from "node:fs";
import { copyFile, link, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../domain/input-error.js";
import { KnownDirectories } from "./local-store-directories.js";
import { errorCode, isAbsent, unlinkable, unpublished, unreadable } from "./local-store-errors.js";
import {
  canonicalPath,
  makeDirectoryDurably,
  pathOfKey,
  syncToDisk,
  temporaryBeside,
  writeTemporary,
} from "./local-store-files.js";
import { entryOf, listBelow } from "./local-store-list.js";
import type { ObjectStore } from "./object-store.js";
import { removeTree } from "./tree-removal.js";

/**
 * An object store in a directory (LAKE.md, Commit 6). The directory is made by the first write.
 * Writes throw {@link StoreFullError} on a full disk and InputError on a refused directory or a file system
 * without hard links; neither leaves a temp file behind.
 */
export function createLocalStore(root: string): ObjectStore {
  const address = canonicalPath(root);
  const pathOf = (key: string) => pathOfKey(address, key);
  const directories = new KnownDirectories();

  async function get(key: string): Promise<Buffer | undefined> {
    const path = pathOf(key);
    try {
      return await readFile(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unreadable(error, path);
    }
  }

  async function put(key: string, body: Uint8Array | string): Promise<void> {
    const path = pathOf(key);
    const temporary = temporaryBeside(path);
    try {
      await directories.writeIn(dirname(path), () => writeTemporary(temporary, body, { durable: false }));
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw unpublished(error, path);
    }
  }

  async function putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean> {
    const path = pathOf(key);
    const temporary = temporaryBeside(path);
    try {
      await makeDirectoryDurably(dirname(path));
      await writeTemporary(temporary, body, { durable: true });
    } catch (error) {
      throw unpublished(error, path);
    }
    try {
      return await publish(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async function upload(localPath: string, key: string): Promise<void> {
    const path = pathOf(key);
    const copied = temporaryBeside(path);
    try {
      await makeDirectoryDurably(dirname(path));
      const near = await besideTarget(localPath, copied);
      await syncToDisk(near);
      if (!(await publish(near, path))) {
        throw new Error(`${path} is there already and is never overwritten. Nothing was published.`);
      }
    } catch (error) {
      throw unpublished(error, path);
    } finally {
      await rm(copied, { force: true });
    }
    await rm(localPath, { force: true });
  }

  return {
    address,
    get,
    put,
    putIfAbsent,
    upload,
    list: (prefix, startAfter = "") => listBelow(address, prefix, startAfter),
    async stat(key) {
      return entryOf(key, pathOf(key));
    },
    async delete(key) {
      const path = pathOf(key);
      await rm(path, { force: true }).catch((error) => {
        if (!isAbsent(error)) throw unpublished(error, path);
      });
    },
    async deletePrefix(prefix) {
      const path = pathOf(prefix.replace(/\/$/, ""));
      await removeTree(path).catch((error) => {
        throw unpublished(error, path);
      });
    },
    async download(key) {
      const path = pathOf(key);
      if ((await entryOf(key, path)) === undefined) throw new InputError(missing(path));
      return path;
    },
  };
}

function missing(path: string): string {
  return `${path} is missing, though a table refers to it. Restore it from a backup of the lake.`;
}

/** Gives a fsynced file its final name unless that is taken. */
async function publish(from: string, path: string): Promise<boolean> {
  try {
    await link(from, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw unlinkable(error, dirname(path));
  }
  await syncToDisk(dirname(path));
  return true;
}

/** The file itself, or a copy beside its target where the two lie on different file systems. */
async function besideTarget(localPath: string, copy: string): Promise<string> {
  const [from, to] = await Promise.all([stat(localPath), stat(dirname(copy))]);
  if (from.dev === to.dev) return localPath;
  await copyFile(localPath, copy, constants.COPYFILE_EXCL);
  return copy;
}
