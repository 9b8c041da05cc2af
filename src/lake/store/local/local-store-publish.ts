import { constants } from "node:fs";
import { chmod, copyFile, link, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type { DurableDirectories, Modes } from "./local-store-directories.js";
import { errorCode, unlinkable, unpublished } from "./local-store-errors.js";
import { syncToDisk, temporaryBeside } from "./local-store-files.js";

/** Node has four threads for files and SQL: the other two are for SQL. */
const SYNCS_AT_ONCE = 2;

export interface Publication {
  readonly localPath: string;
  readonly path: string;
  readonly modes: Modes;
}

/** Gives a synced file its final name unless another writer took it; that name is durable on return, too. */
export async function publish(from: string, path: string): Promise<boolean> {
  const published = await linkUnlessTaken(from, path);
  // The other writer may have been killed before it synced the name.
  await syncToDisk(dirname(path));
  return published;
}

/**
 * Moves files to free paths, durably: all or none. @throws StoreFullError, InputError as every write; Error where a path
 * is taken
 */
export async function publishFiles(
  files: readonly Publication[],
  durable: DurableDirectories,
): Promise<void> {
  const copies: string[] = [];
  const published: string[] = [];
  let current = files[0]?.path ?? "";
  try {
    const directories = new Map(files.map(({ path, modes }) => [dirname(path), modes.directory]));
    for (const [directory, mode] of directories) await durable.make(directory, mode);
    await mapConcurrent(SYNCS_AT_ONCE, files, async ({ localPath, path, modes }) => {
      current = path;
      const near = await besideTarget(localPath, path, copies);
      await restrict(near, modes.file);
      await syncToDisk(near);
      if (!(await linkUnlessTaken(near, path))) {
        throw new Error(`${path} is there already and is never overwritten. Nothing was published.`);
      }
      published.push(path);
    });
    for (const directory of directories.keys()) await syncToDisk(directory);
  } catch (error) {
    for (const path of published) await rm(path, { force: true });
    throw unpublished(error, current);
  } finally {
    for (const copy of copies) await rm(copy, { force: true });
  }
  for (const { localPath } of files) await unlink(localPath);
}

async function restrict(path: string, allowed: number): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o777 & ~allowed) !== 0) await chmod(path, mode & allowed);
}

/** Makes existing files survive a power cut, with their directories. */
export async function persistFiles(
  files: readonly Publication[],
  durable: DurableDirectories,
): Promise<void> {
  await mapConcurrent(SYNCS_AT_ONCE, files, ({ path }) => syncToDisk(path));
  const directories = new Map(files.map(({ path, modes }) => [dirname(path), modes.directory]));
  for (const [directory, mode] of directories) {
    await syncToDisk(directory);
    await durable.make(directory, mode);
  }
}

async function linkUnlessTaken(from: string, path: string): Promise<boolean> {
  try {
    await link(from, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw unlinkable(error, dirname(path));
  }
}

/** The file, or a copy on the target's file system. */
async function besideTarget(localPath: string, path: string, copies: string[]): Promise<string> {
  const [from, to] = await Promise.all([stat(localPath), stat(dirname(path))]);
  if (from.dev === to.dev) return localPath;
  const copy = temporaryBeside(path);
  copies.push(copy);
  await copyFile(localPath, copy, constants.COPYFILE_EXCL);
  return copy;
}
