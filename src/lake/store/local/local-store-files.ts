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

/** Larger files are left to the thread pool: read in place, they would hold up everything else. */
const IN_PLACE_BYTES = 256 * 1024;

const openFile = promisify(openCallback) as (path: string, flags: string, mode?: number) => Promise<number>;
const readOpenFile = promisify(readFileCallback) as (file: number) => Promise<Buffer>;
const syncFile = promisify(fsyncCallback);

/** Makes a new temp name beside the final one, so that rename and link stay within one file system. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), temporaryName(randomUUID()));
}

/** Resolves a directory that may not exist yet: a lake has one address, whatever link leads to it. */
export function canonicalPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (!isAbsent(error) || dirname(absolute) === absolute) return absolute;
    return join(canonicalPath(dirname(absolute)), basename(absolute));
  }
}

/** Gives the path of a key below the root. @throws InputError */
export function pathOfKey(root: string, key: string): string {
  return join(root, ...partsOfKey(root, key));
}

/** Reads a range of a file in place, as far as it goes: records are still in memory, and the thread pool would cost more. */
export function readRangeInPlace(path: string, from: number, bytes: number): Buffer {
  const file = openSync(path, "r");
  try {
    return rangeOf(file, from, bytes);
  } finally {
    closeSync(file);
  }
}

/** Reads a file. The thread pool looks its name up; a small file costs no further trip. */
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

/** Removes a file after a failure, if it can: the failure is what the caller throws. */
export async function discardFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Makes the bytes of a file, or the names in a directory, survive a power cut, in one trip to the thread pool. */
export async function syncToDisk(path: string): Promise<void> {
  const file = openSync(path, "r");
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a new temp file, fsynced when asked; the caller removes it where this fails. The thread pool makes the name,
 * because a disk that writes its journal holds names up; the system only copies the bytes, so that happens in place.
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

/** Makes a new temp file with the bytes of another one, fsynced; the caller removes it where this fails. */
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

/** Writes until everything is taken: a nearly full disk takes a part, and fails only at the next write. */
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

/** Each piece is a trip to the thread pool: a small file takes one. */
const PIECE_BYTES = 1024 * 1024;

/** Computes the sha256 (hex) of a file's bytes. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) hash.update(piece);
  return hash.digest("hex");
}

const REMOVALS_AT_ONCE = 8;

/** Gives the entry of one file; undefined where there is none. In place: the thread pool would cost ten times the call. */
export function entryOf(key: string, path: string): ObjectEntry | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(error, path);
  }
}

/** Lists the entries below a prefix after `startAfter`, in key order, without temp files; it looks at no others. */
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

/** Deletes a directory with everything in it, several files at once; Node's own `rm` looks at each and takes one at a time. */
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
