import { chmod, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DurableDirectories } from "./local-store-directories.js";
import { errorCode, isAbsent } from "./local-store-errors.js";

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
const OTHERS = 0o007;
const GROUP = 0o070;
/** What file systems put into a new volume by themselves. */
const OF_VOLUMES = "lost+found";

/**
 * The modes of what a store writes. They follow the directory that stands: a lake that was opened to more
 * readers, or made by an earlier version, keeps what it allows, and a new one is closed.
 */
export class StoreModes {
  readonly #root: string;
  readonly #durable: DurableDirectories;
  #lake: Promise<Modes> | undefined;
  #staging: Promise<Modes> | undefined;

  constructor(root: string, durable: DurableDirectories) {
    this.#root = root;
    this.#durable = durable;
  }

  /** The modes of what lies under a key, whose area is made where it is not there. */
  async of(key: string): Promise<Modes> {
    this.#lake ??= lakeMode(this.#root, this.#durable).then(modesLike);
    const lake = await kept(this.#lake, () => {
      this.#lake = undefined;
    });
    if (!key.startsWith(`${STAGING}/`)) return lake;
    this.#staging ??= modeOf(join(this.#root, STAGING), STAGING_MODE, this.#durable).then(modesLike);
    return kept(this.#staging, () => {
      this.#staging = undefined;
    });
  }
}

/** What of a lake others than its owner may reach beyond what a new one allows, in words; nothing is changed. */
export async function openness(root: string): Promise<string> {
  const lake = await permissions(root);
  if (lake === undefined) return `${root} is not there yet; it is made closed to other users`;
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
      `${path} has customers' data in plain text and is open (${octal(staging)}): \`chmod go= ${path}\` closes it`,
    );
  }
  return open.length === 0 ? "closed to users who are not of the lake's group" : open.join("; ");
}

/** Whether every user may pass through a directory and those above it. */
async function isReachable(directory: string): Promise<boolean> {
  if (((await permissions(directory)) ?? 0) & 0o001) {
    return dirname(directory) === directory || isReachable(dirname(directory));
  }
  return false;
}

/** The mode of a lake's directory: made, or closed to others where nothing is in it yet, or as it stands. */
async function lakeMode(root: string, durable: DurableDirectories): Promise<number> {
  const mode = await modeOf(root, LAKE_MODE, durable);
  const holds = (await readdir(root)).some((name) => name !== OF_VOLUMES);
  if (holds || (mode & OTHERS) === 0) return mode;
  try {
    await chmod(root, mode & ~OTHERS);
    return mode & ~OTHERS;
  } catch (error) {
    // A mount that belongs to somebody else stays as it is; `nightledger check` says so.
    if (errorCode(error) === "EPERM") return mode;
    throw error;
  }
}

/** The mode of a directory, which is made where it is not there. */
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

function modesLike(directory: number): Modes {
  return { directory, file: directory & 0o666 };
}

async function kept<T>(value: Promise<T>, forget: () => void): Promise<T> {
  try {
    return await value;
  } catch (error) {
    forget();
    throw error;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
