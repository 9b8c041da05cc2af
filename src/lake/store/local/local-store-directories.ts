import { existsSync } from "node:fs";
import { access, chmod, constants, lstat, mkdir, mkdtemp, readdir, rmdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { errorCode, isAbsent } from "./local-store-errors.js";
import { syncToDisk } from "./local-store-files.js";

const MOST_KNOWN = 2_000;

/**
 * Directories whose names survive a power cut. An existing one may come from a write that was not durable, so its name
 * is synced once in the life of a process.
 */
export class DurableDirectories {
  readonly #known = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly sync: (directory: string) => Promise<void> = syncToDisk,
  ) {}

  /** Makes a directory below the root if it is missing, with every name on the way durable. */
  async make(directory: string, mode: number): Promise<void> {
    // In place: cheaper than the thread pool.
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

  /** Forgets a deleted directory and all below it. */
  forget(directory: string): void {
    for (const path of this.#known) {
      if (path === directory || path.startsWith(`${directory}${sep}`)) this.#known.delete(path);
    }
  }

  async #syncName(path: string, isNew: boolean): Promise<void> {
    try {
      await this.sync(dirname(path));
    } catch (error) {
      // This user may not be able to read what is above an existing root.
      if (isNew || path.length > this.root.length || !["EACCES", "EPERM"].includes(errorCode(error)))
        throw error;
    }
  }
}

/** A tighter umask takes more away. */
export interface Modes {
  readonly directory: number;
  readonly file: number;
}

/** A lake's group may read it. */
const LAKE_MODE = 0o750;
/** The staging area holds customers' data: its owner's alone. */
const STAGING_MODE = 0o700;
const STAGING = "_staging";
/** Snapshots hold every lake's staging area, too. */
const OBJECTS = "objects";
const OTHERS = 0o007;
const GROUP = 0o070;
/** File systems put it into a new volume. */
const OF_VOLUMES = "lost+found";

/** The modes for a key, whose area is made if it is missing: a new one closed, an existing one as it is. */
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

/** What users other than the owner can reach beyond a new lake's modes. */
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

/** Whether every user may pass through a directory and its parents. */
async function isReachable(directory: string): Promise<boolean> {
  if (((await permissions(directory)) ?? 0) & 0o001) {
    return dirname(directory) === directory || isReachable(dirname(directory));
  }
  return false;
}

/** The mode of a lake's directory; a new or empty one is closed to others. */
async function lakeMode(root: string, durable: DurableDirectories): Promise<number> {
  const mode = await modeOf(root, LAKE_MODE, durable);
  const holds = (await readdir(root)).some((name) => name !== OF_VOLUMES);
  if (holds || (mode & OTHERS) === 0) return mode;
  try {
    await chmod(root, mode & ~OTHERS);
    return mode & ~OTHERS;
  } catch (error) {
    // Another user's mount stays; `nightledger check` reports it.
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

/** Checks that a directory, or its nearest parent, is writable. @throws InputError that begins with `given` */
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
    // A network share may refuse root whatever the permissions, and in /proc Node's `mkdir -p` never ends.
    const probe = mkdtemp(join(at, ".nightledger-")).then(rmdir);
    return probe.catch((error) => {
      throw new InputError(
        `${given}: no directory can be made in ${at} (${errorCode(error)}). Accepted: a writable directory.`,
      );
    });
  }
}
