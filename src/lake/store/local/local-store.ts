import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import {
  type GrowingObject,
  isKey,
  isTemporary,
  type ObjectStore,
  type PutOptions,
} from "../object-store.js";
import { checkWritable, DurableDirectories, openness, storeModes } from "./local-store-directories.js";
import { isAbsent, unpublished, unreadable } from "./local-store-errors.js";
import {
  canonicalPath,
  copyTemporary,
  discardFile,
  entryOf,
  foldersBelow,
  growFile,
  listBelow,
  pathOfKey,
  readRangeInPlace,
  readWhole,
  removeFile,
  removeTree,
  syncToDisk,
  temporaryBeside,
  writeTemporary,
} from "./local-store-files.js";
import { type Publication, persistFiles, publish, publishFiles } from "./local-store-publish.js";

/**
 * An object store in a directory, which the first write makes (docs/inside/rules.md, "Durable writes"). Writes throw
 * {@link StoreFullError} or InputError, and leave no temp file behind.
 */
export function createLocalStore(root: string): ObjectStore {
  const address = canonicalPath(root);
  const pathOf = (key: string) => pathOfKey(address, key);
  const durably = new DurableDirectories(address);
  const modesOf = storeModes(address, durably);

  async function reading(key: string, read: (path: string) => Buffer | Promise<Buffer>) {
    const path = pathOf(key);
    try {
      return await read(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unreadable(error, path);
    }
  }

  /** A write that leaves nothing behind on failure. */
  async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      throw unpublished(error, path);
    }
  }

  async function grow(key: string): Promise<GrowingObject> {
    const path = pathOf(key);
    return writing(path, async () => {
      const { directory, file } = await modesOf(key);
      await mkdir(dirname(path), { recursive: true, mode: directory });
      return growFile(path, file);
    });
  }

  async function replace(
    key: string,
    durable: boolean,
    write: (path: string, how: { readonly durable: boolean; readonly mode: number }) => Promise<void>,
  ): Promise<void> {
    const path = pathOf(key);
    const directory = dirname(path);
    const temporary = temporaryBeside(path);
    try {
      const { directory: directoryMode, file: mode } = await modesOf(key);
      if (durable) await durably.make(directory, directoryMode);
      else if (!existsSync(directory)) await mkdir(directory, { recursive: true, mode: directoryMode });
      await write(temporary, { durable, mode });
      await rename(temporary, path);
      if (durable) await syncToDisk(directory);
    } catch (error) {
      await discardFile(temporary);
      throw unpublished(error, path);
    }
  }

  async function putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean> {
    const path = pathOf(key);
    const temporary = temporaryBeside(path);
    try {
      await writing(path, async () => {
        const { directory, file } = await modesOf(key);
        await durably.make(dirname(path), directory);
        await writeTemporary(temporary, body, { durable: true, mode: file });
      });
      const isFirst = await publish(temporary, path);
      await removeFile(temporary);
      return isFirst;
    } catch (error) {
      await discardFile(temporary);
      throw error;
    }
  }

  function publications(
    files: readonly { readonly localPath: string; readonly key: string }[],
  ): Promise<Publication[]> {
    return Promise.all(
      files.map(async ({ localPath, key }) => {
        const path = pathOf(key);
        return { localPath, path, modes: await writing(path, () => modesOf(key)) };
      }),
    );
  }

  return {
    address,
    async isThere() {
      return existsSync(address);
    },
    openness: () => openness(address),
    checkWritable: (variable) => checkWritable(variable, address),
    // The first commit fails without hard links.
    async checkRequests() {},
    get: (key) => reading(key, readWhole),
    async getFile(key, localPath) {
      const path = pathOf(key);
      try {
        await copyFile(path, localPath, constants.COPYFILE_EXCL);
        return true;
      } catch (error) {
        if (entryOf(key, path) === undefined) return false;
        throw unpublished(error, localPath);
      }
    },
    readRange: (key, from, bytes) => reading(key, (path) => readRangeInPlace(path, from, bytes)),
    grow,
    put: (key, body, { durable = false }: PutOptions = {}) =>
      replace(key, durable, (path, how) => writeTemporary(path, body, how)),
    putFile: (key, localPath) => replace(key, true, (path, { mode }) => copyTemporary(path, localPath, mode)),
    putIfAbsent,
    async uploadAll(files) {
      await publishFiles(await publications(files), durably);
    },
    async persist(keys) {
      const files = await publications(keys.map((key) => ({ localPath: pathOf(key), key })));
      await writing(address, () => persistFiles(files, durably));
    },
    list: (prefix, startAfter = "") => listBelow(address, prefix, startAfter),
    strangers: () => listBelow(address, "", "", (name) => !isKey(name) && !isTemporary(name)),
    folders: (prefix) => foldersBelow(address, prefix),
    async stat(key) {
      return entryOf(key, pathOf(key));
    },
    async stats(keys) {
      return keys.map((key) => entryOf(key, pathOf(key)));
    },
    async delete(key) {
      const path = pathOf(key);
      await writing(path, () => removeFile(path));
    },
    async deletePrefix(prefix, { durable, folders = [""] } = {}) {
      for (const folder of folders) {
        const path = pathOf(`${prefix}${folder}`.replace(/\/$/, ""));
        durably.forget(path);
        try {
          await removeTree(path);
          if (durable === true) await syncToDisk(dirname(path));
        } catch (error) {
          if (!isAbsent(error)) throw unpublished(error, path);
        }
      }
    },
    async discardTemporary(prefix, before) {
      for (const { key, modifiedAt } of await listBelow(address, prefix, "", isTemporary))
        if (modifiedAt.getTime() < before) await removeFile(join(address, key));
    },
    async download(key) {
      const path = pathOf(key);
      if (entryOf(key, path) !== undefined) return path;
      throw new InputError(
        `${path} is missing, though a table refers to it. Restore it from a backup of the lake.`,
      );
    },
  };
}
