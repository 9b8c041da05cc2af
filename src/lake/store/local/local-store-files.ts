import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  type Dirent,
  fstatSync,
  fsync as fsyncCallback,
  ftruncateSync,
  open as openCallback,
  openSync,
  readFile as readFileCallback,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
  writevSync,
} from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { type GrowingObject, isKey, type ObjectEntry, partsOfKey, temporaryName } from "../object-store.js";
import { isAbsent, unpublished, unreadable } from "./local-store-errors.js";

/** Read in place, larger files would hold up everything else. */
const IN_PLACE_BYTES = 256 * 1024;

const openFile = promisify(openCallback) as (path: string, flags: string, mode?: number) => Promise<number>;
const readOpenFile = promisify(readFileCallback) as (file: number) => Promise<Buffer>;
const syncFile = promisify(fsyncCallback);

/** Beside the final name: rename and link stay within one file system. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), temporaryName(randomUUID()));
}

/** Resolves links, also of a directory that does not exist yet: a lake has one address. */
export function canonicalPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (!isAbsent(error) || dirname(absolute) === absolute) return absolute;
    return join(canonicalPath(dirname(absolute)), basename(absolute));
  }
}

/** @throws InputError for what is no key */
export function pathOfKey(root: string, key: string): string {
  return join(root, ...partsOfKey(root, key));
}

/** Reads a range in place: records are in memory, so the thread pool would cost more. */
export function readRangeInPlace(path: string, from: number, bytes: number): Buffer {
  const file = openSync(path, "r");
  try {
    return rangeOf(file, from, bytes);
  } finally {
    closeSync(file);
  }
}

/** The thread pool looks the name up; a small file is read without a further trip. */
export async function readWhole(path: string): Promise<Buffer> {
  const file = await openFile(path, "r");
  try {
    const { size } = fstatSync(file);
    return size > IN_PLACE_BYTES ? await readOpenFile(file) : rangeOf(file, 0, size);
  } finally {
    closeSync(file);
  }
}

function rangeOf(file: number, from: number, bytes: number): Buffer {
  const body = Buffer.allocUnsafe(bytes);
  let read = 0;
  while (read < bytes) {
    const more = readSync(file, body, read, bytes - read, from + read);
    if (more === 0) break;
    read += more;
  }
  return body.subarray(0, read);
}

export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Removes a file after a failure, which is what the caller throws. */
export async function discardFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Syncs a file, or a directory's names, in one trip to the thread pool. */
export async function syncToDisk(path: string): Promise<void> {
  const file = openSync(path, "r");
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a new temp file, synced on request; the caller removes it on failure. The thread pool makes the name, since a
 * journal may hold names up; the bytes are only copied, in place.
 */
export async function writeTemporary(
  path: string,
  body: Uint8Array | string,
  { durable, mode }: { readonly durable: boolean; readonly mode: number },
): Promise<void> {
  const file = await openFile(path, "wx", mode);
  try {
    writeFileSync(file, body);
    if (durable) await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/** A synced copy of a file; the caller removes it on failure. */
export async function copyTemporary(path: string, from: string, mode: number): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(path, { flags: "wx", mode }));
  await syncToDisk(path);
}

export function growFile(path: string, mode: number): GrowingObject {
  const file = openSync(path, "ax", mode);
  let end = 0;
  let broken: Error | undefined;
  return {
    append(parts) {
      if (broken !== undefined) throw broken;
      const at = end;
      try {
        end += writeAll(file, parts);
        return at;
      } catch (error) {
        broken = unpublished(error, path);
        // No record may follow half a record.
        ftruncateSync(file, at);
        throw broken;
      }
    },
    async close() {
      closeSync(file);
    },
  };
}

/** A nearly full disk takes a part, and fails at the next write. */
function writeAll(file: number, parts: readonly Uint8Array[]): number {
  let written = 0;
  let rest = parts.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    let taken = writevSync(file, rest);
    written += taken;
    rest = rest.flatMap((part) => {
      const skipped = Math.min(taken, part.length);
      taken -= skipped;
      return skipped === part.length ? [] : [part.subarray(skipped)];
    });
  }
  return written;
}

/** A trip to the thread pool each. */
const PIECE_BYTES = 1024 * 1024;

/** sha256 of a file, in hex. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) hash.update(piece);
  return hash.digest("hex");
}

const REMOVALS_AT_ONCE = 8;

/** Undefined for no file. In place: the thread pool would cost ten times the call. */
export function entryOf(key: string, path: string): ObjectEntry | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(error, path);
  }
}

/** Entries below a prefix after `startAfter`, in key order, without temp files. */
export async function listBelow(
  root: string,
  prefix: string,
  startAfter: string,
  isListed = isKey,
): Promise<ObjectEntry[]> {
  const keys: string[] = [];
  await collectKeys(pathOfPrefix(root, prefix), prefix, startAfter, keys);
  keys.sort((a, b) => (a < b ? -1 : 1));
  return keys.flatMap((key) => (isListed(key) && entryOf(key, join(root, key))) || []);
}

async function collectKeys(directory: string, prefix: string, startAfter: string, keys: string[]) {
  for (const entry of await entriesIn(directory)) {
    const key = prefix + entry.name;
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
  return entries.flatMap((entry) => (entry.isDirectory() && isKey(entry.name) ? [entry.name] : [])).sort();
}

/** A prefix is empty or ends in `/`. */
function pathOfPrefix(root: string, prefix: string): string {
  return prefix === "" ? root : pathOfKey(root, prefix.replace(/\/$/, ""));
}

async function entriesIn(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw unreadable(error, directory);
  });
}

/** Deletes a directory, several files at once; Node's own `rm` takes one at a time. */
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
