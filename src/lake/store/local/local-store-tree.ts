import { type Dirent, statSync } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { isTemporary } from "../keys.js";
import type { ObjectEntry } from "../object-store.js";
import { isAbsent, unreadable } from "./local-store-errors.js";
import { pathOfKey, removeFile } from "./local-store-files.js";

const REMOVALS_AT_ONCE = 8;

/**
 * Gives the entry of one file, undefined where there is none. It asks the system in place: the thread pool would cost
 * ten times the call itself, and a run looks at tens of thousands of staged pages.
 */
export function entryOf(key: string, path: string): ObjectEntry | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(error, path);
  }
}

/**
 * Lists the entries below a prefix in key order, without temp files. It looks only at those after `startAfter`, so the
 * tail of a long commit log costs one directory read and a few stats.
 */
export async function listBelow(root: string, prefix: string, startAfter: string): Promise<ObjectEntry[]> {
  const keys: string[] = [];
  await collectKeys(pathOfPrefix(root, prefix), prefix, startAfter, keys);
  keys.sort((a, b) => (a < b ? -1 : 1));
  return keys.flatMap((key) => entryOf(key, join(root, key)) ?? []);
}

async function collectKeys(directory: string, prefix: string, startAfter: string, keys: string[]) {
  for (const entry of await entriesIn(directory)) {
    const key = prefix + entry.name;
    if (isTemporary(entry.name)) continue;
    if (entry.isDirectory()) {
      const below = `${key}/`;
      if (below > startAfter || startAfter.startsWith(below)) {
        await collectKeys(join(directory, entry.name), below, startAfter, keys);
      }
    } else if (key > startAfter) keys.push(key);
  }
}

export async function foldersBelow(root: string, prefix: string): Promise<string[]> {
  const entries = await entriesIn(pathOfPrefix(root, prefix));
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** The directory of a prefix, which is empty or ends in `/`. */
function pathOfPrefix(root: string, prefix: string): string {
  return prefix === "" ? root : pathOfKey(root, prefix.replace(/\/$/, ""));
}

async function entriesIn(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw unreadable(error, directory);
  });
}

/**
 * Deletes a directory with everything in it; it ignores what is already gone. Node's own `rm` looks at every file
 * before deleting it, and deletes one after the other: staging holds tens of thousands.
 */
export async function removeTree(directory: string): Promise<void> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    await mapConcurrent(REMOVALS_AT_ONCE, entries, (entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? removeTree(path) : removeFile(path);
    });
    await rmdir(directory);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
