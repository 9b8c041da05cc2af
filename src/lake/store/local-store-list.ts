import type { Dirent } from "node:fs";
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, unreadable } from "./local-store-errors.js";
import { isTemporary, pathOfKey } from "./local-store-files.js";
import type { ObjectEntry } from "./object-store.js";

const STATS_AT_ONCE = 64;

/**
 * The entry of one file, undefined where there is none. Looked up in place: the thread pool would cost ten times
 * the call itself, and a run looks at tens of thousands of staged pages.
 */
export async function entryOf(key: string, path: string): Promise<ObjectEntry | undefined> {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(error, path);
  }
}

/**
 * Entries below a prefix in key order, temp files left out. Only those after `startAfter` are looked at, so
 * that the tail of a long commit log costs one directory read and a few stats.
 */
export async function listBelow(root: string, prefix: string, startAfter: string): Promise<ObjectEntry[]> {
  const start = prefix === "" ? root : pathOfKey(root, prefix.replace(/\/$/, ""));
  const keys: string[] = [];
  await collectKeys(start, prefix, startAfter, keys);
  keys.sort((a, b) => (a < b ? -1 : 1));
  const entries: ObjectEntry[] = [];
  for (let from = 0; from < keys.length; from += STATS_AT_ONCE) {
    const some = keys.slice(from, from + STATS_AT_ONCE);
    const found = await Promise.all(some.map((key) => entryOf(key, join(root, key))));
    entries.push(...found.filter((entry) => entry !== undefined));
  }
  return entries;
}

async function collectKeys(directory: string, prefix: string, startAfter: string, keys: string[]) {
  for (const name of await namesIn(directory)) {
    const key = prefix + name.name;
    if (isTemporary(name.name)) continue;
    if (name.isDirectory()) {
      const below = `${key}/`;
      if (below > startAfter || startAfter.startsWith(below)) {
        await collectKeys(join(directory, name.name), below, startAfter, keys);
      }
    } else if (key > startAfter) keys.push(key);
  }
}

/** The names of the folders directly below a prefix, sorted. */
export async function foldersBelow(root: string, prefix: string): Promise<string[]> {
  const names = await namesIn(pathOfKey(root, prefix.replace(/\/$/, "")));
  return names
    .filter((name) => name.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function namesIn(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw unreadable(error, directory);
  });
}
