import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../../domain/failures.js";
import { DurableDirectories, KnownDirectories } from "./local-store-directories.js";
import { isAbsent, unpublished, unreadable } from "./local-store-errors.js";
import {
  canonicalPath,
  pathOfKey,
  readRangeInPlace,
  readWhole,
  removeFile,
  syncToDisk,
  temporaryBeside,
  writeTemporary,
} from "./local-store-files.js";
import { growFile } from "./local-store-growing.js";
import { entryOf, foldersBelow, listBelow } from "./local-store-list.js";
import { type Publication, persistFiles, publish, publishFiles } from "./local-store-publish.js";
import { StoreModes } from "./modes.js";
import type { GrowingObject, ObjectStore, PutOptions } from "./object-store.js";
import { removeTree } from "./tree-removal.js";

/**
 * An object store in a directory (docs/inside/architecture.md, "Durable writes"). The directory is made by the first
 * write. Writes throw {@link StoreFullError} on a full disk and InputError on a refused directory or a file
 * system without hard links; neither leaves a temp file behind.
 */
export function createLocalStore(root: string): ObjectStore {
  const address = canonicalPath(root);
  const pathOf = (key: string) => pathOfKey(address, key);
  const directories = new KnownDirectories();
  const durably = new DurableDirectories(address);
  const modes = new StoreModes(address, durably);

  async function reading(
    key: string,
    read: (path: string) => Buffer | Promise<Buffer>,
  ): Promise<Buffer | undefined> {
    const path = pathOf(key);
    try {
      return await read(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unreadable(error, path);
    }
  }

  async function grow(key: string): Promise<GrowingObject> {
    const path = pathOf(key);
    try {
      const found = await modes.of(key);
      let object: GrowingObject | undefined;
      await directories.writeIn(dirname(path), found.directory, async () => {
        object = growFile(path, found.file);
      });
      return object as GrowingObject;
    } catch (error) {
      throw unpublished(error, path);
    }
  }

  async function put(key: string, body: Uint8Array | string, options: PutOptions = {}): Promise<void> {
    const path = pathOf(key);
    const directory = dirname(path);
    const temporary = temporaryBeside(path);
    const durable = options.durable === true;
    try {
      const { directory: directoryMode, file: mode } = await modes.of(key);
      if (durable) await durably.make(directory, directoryMode);
      await directories.writeIn(directory, directoryMode, () =>
        writeTemporary(temporary, body, { durable, mode }),
      );
      await rename(temporary, path);
      if (durable) await syncToDisk(directory);
    } catch (error) {
      await removeFile(temporary);
      throw unpublished(error, path);
    }
  }

  async function publications(
    files: readonly { readonly localPath: string; readonly key: string }[],
  ): Promise<Publication[]> {
    const all: Publication[] = [];
    for (const { localPath, key } of files) {
      const path = pathOf(key);
      const found = await modes.of(key).catch((error) => {
        throw unpublished(error, path);
      });
      all.push({ localPath, path, modes: found });
    }
    return all;
  }

  async function putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean> {
    const path = pathOf(key);
    const temporary = temporaryBeside(path);
    try {
      const { directory, file } = await modes.of(key);
      await durably.make(dirname(path), directory);
      await writeTemporary(temporary, body, { durable: true, mode: file });
    } catch (error) {
      throw unpublished(error, path);
    }
    try {
      return await publish(temporary, path);
    } finally {
      await removeFile(temporary);
    }
  }

  return {
    address,
    get: (key) => reading(key, readWhole),
    readRange: (key, from, bytes) => reading(key, (path) => readRangeInPlace(path, from, bytes)),
    grow,
    put,
    putIfAbsent,
    async upload(localPath, key) {
      await publishFiles(await publications([{ localPath, key }]), durably);
    },
    async uploadAll(files) {
      await publishFiles(await publications(files), durably);
    },
    async persist(keys) {
      const files = await publications(keys.map((key) => ({ localPath: pathOf(key), key })));
      await persistFiles(files, durably).catch((error) => {
        throw unpublished(error, address);
      });
    },
    list: (prefix, startAfter = "") => listBelow(address, prefix, startAfter),
    folders: (prefix) => foldersBelow(address, prefix),
    async stat(key) {
      return entryOf(key, pathOf(key));
    },
    async delete(key) {
      const path = pathOf(key);
      await removeFile(path).catch((error) => {
        throw unpublished(error, path);
      });
    },
    async deletePrefix(prefix, options = {}) {
      const path = pathOf(prefix.replace(/\/$/, ""));
      durably.forget(path);
      try {
        await removeTree(path);
        if (options.durable === true) await syncToDisk(dirname(path));
      } catch (error) {
        // Where not even the directory is that would hold it, there is nothing to delete.
        if (!isAbsent(error)) throw unpublished(error, path);
      }
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
