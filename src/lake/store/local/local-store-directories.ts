import { existsSync } from "node:fs";
import { access, chmod, constants, lstat, mkdir, mkdtemp, readdir, rmdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { errorCode, isAbsent } from "./local-store-errors.js";
import { syncToDisk } from "./local-store-files.js";

const MOST_KNOWN = 2_000;

/**
 * Directories whose names survive a power cut. An existing directory may come from a write that did not ask for
 * durability, so its name is synced in its parent all the same: once in the life of a process.
 */
export class DurableDirectories {
  readonly #known = new Set<string>();

  /** @param sync makes the names in a directory durable. */
  constructor(
    private readonly root: string,
    private readonly sync: (directory: string) => Promise<void> = syncToDisk,
  ) {}

  /** Makes a directory below the root if it is missing, and makes every name on the way to it durable. */
  async make(directory: string, mode: number): Promise<void> {
    // In place: the thread pool would cost more.
    if (this.#known.has(directory) && existsSync(directory)) return;
    const first = await mkdir(directory, { recursive: true, mode });
    const isNew = (path: string) => first !== undefined && path.length >= first.length;
    const isDue = (path: string) =>
      isNew(path) || (path.length >= this.root.length && !this.#known.has(path));
    for (let path = directory; isDue(path); path = dirname(path)) {
      await this.#syncName(path, isNew(path));
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.add(path);
    }
  }

  /** Forgets a deleted directory with all below it: made again, its name is not on the disk yet. */
  forget(directory: string): void {
    for (const path of this.#known) {
      if (path === directory || path.startsWith(`${directory}${sep}`)) this.#known.delete(path);
    }
  }

  async #syncName(path: string, isNew: boolean): Promise<void> {
    try {
      await this.sync(dirname(path));
    } catch (error) {
      // This user need not be able to read what is above the root; an existing root was made durable as far as possible.
      if (isNew || path.length > this.root.length || !["EACCES", "EPERM"].includes(errorCode(error)))
        throw error;
    }
  }
}

/** Modes of what is written; a tighter umask takes more away. */
export interface Modes {
  readonly directory: number;
  readonly file: number;
}

/** A new lake is open to its group for reading. */
const LAKE_MODE = 0o750;
/** A new staging area is its owner's alone: it holds customers' data on their way into the tables. */
const STAGING_MODE = 0o700;
const STAGING = "_staging";
/** Of a place of snapshots: what they hold of every lake's staging area, too. */
const OBJECTS = "objects";
const OTHERS = 0o007;
const GROUP = 0o070;
/** A directory that file systems put into a new volume. */
const OF_VOLUMES = "lost+found";

/**
 * Makes the function that gives the modes for a key, and makes the key's area if it is missing: an existing directory stays
 * as open as it is, and a new one is closed. Each area is looked up once; a failure is not remembered.
 */
export function storeModes(root: string, durable: DurableDirectories): (key: string) => Promise<Modes> {
  const areas = new Map<string, Promise<Modes>>();
  function area(name: string, mode: () => Promise<number>): Promise<Modes> {
    const known = areas.get(name);
    if (known !== undefined) return known;
    const found = mode().then((directory) => ({ directory, file: directory & 0o666 }));
    areas.set(name, found);
    found.catch(() => areas.delete(name));
    return found;
  }
  return async (key) => {
    const lake = await area("", () => lakeMode(root, durable));
    const closed = [STAGING, OBJECTS].find((name) => key.startsWith(`${name}/`));
    if (closed === undefined) return lake;
    return area(closed, () => modeOf(join(root, closed), STAGING_MODE, durable));
  };
}

/** Describes what users other than the owner can reach beyond what a new lake allows. Changes nothing. */
export async function openness(root: string): Promise<string> {
  const lake = await permissions(root);
  if (lake === undefined) return `${root} does not exist yet; it will be closed to other users`;
  const path = join(root, STAGING);
  const staging = (await permissions(path)) ?? STAGING_MODE;
  const open: string[] = [];
  if (lake & OTHERS && (await isReachable(dirname(root)))) {
    open.push(
      `${root} is open to every user of this machine (${octal(lake)}): \`chmod o= ${root}\` closes it`,
    );
  }
  if (staging & GROUP && (lake & GROUP || open.length > 0)) {
    open.push(
      `${path} holds customers' data in plain text and is open (${octal(staging)}): \`chmod go= ${path}\` closes it`,
    );
  }
  return open.length === 0 ? `${root} is closed to every user but its owner and its group` : open.join("; ");
}

/** Whether every user may pass through a directory and those above it. */
async function isReachable(directory: string): Promise<boolean> {
  if (((await permissions(directory)) ?? 0) & 0o001) {
    return dirname(directory) === directory || isReachable(dirname(directory));
  }
  return false;
}

/** Gives the mode of a lake's directory: of a new one, of an empty one that it closes to others, or of any other one unchanged. */
async function lakeMode(root: string, durable: DurableDirectories): Promise<number> {
  const mode = await modeOf(root, LAKE_MODE, durable);
  const holds = (await readdir(root)).some((name) => name !== OF_VOLUMES);
  if (holds || (mode & OTHERS) === 0) return mode;
  try {
    await chmod(root, mode & ~OTHERS);
    return mode & ~OTHERS;
  } catch (error) {
    // A mount that belongs to another user stays as it is; `nightledger check` reports it.
    if (errorCode(error) === "EPERM") return mode;
    throw error;
  }
}

async function modeOf(directory: string, ifNew: number, durable: DurableDirectories): Promise<number> {
  await durable.make(directory, ifNew);
  return (await permissions(directory)) ?? ifNew;
}

async function permissions(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Checks that a directory, or its nearest existing parent, is writable; leaves nothing there. @throws InputError that begins with `given`. */
export async function checkWritable(given: string, path: string): Promise<void> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    const link = found ?? (await lstat(at).catch(() => undefined));
    if (link?.isSymbolicLink()) {
      throw new InputError(`${given}: ${at} is a link to nothing. Accepted: a writable directory.`);
    }
    if (found === undefined && at !== dirname(at)) continue;
    if (found !== undefined && !found.isDirectory()) {
      throw new InputError(`${given}: ${at} is not a directory. Accepted: a writable directory.`);
    }
    await access(at, constants.W_OK | constants.X_OK).catch(() => {
      throw new InputError(`${given}: ${at} is not writable. Accepted: a writable directory.`);
    });
    if (at === path) return;
    // Permissions don't tell of a network share that refuses root, or of /proc, where Node's `mkdir -p` never ends.
    const probe = mkdtemp(join(at, ".nightledger-")).then(rmdir);
    return probe.catch((error) => {
      throw new InputError(
        `${given}: no directory can be made in ${at} (${errorCode(error)}). Accepted: a writable directory.`,
      );
    });
  }
}
