import { randomUUID } from "node:crypto";
import { existsSync, readlinkSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { errorCode, unpublished } from "../store/local/local-store-errors.js";

const NO_PLACE = new Set(["ENOENT", "ENOTDIR", "EACCES", "EROFS"]);

const PRIVATE = { recursive: true, mode: 0o700 } as const;

const living = new Set<string>();

/**
 * An engine's part of a machine's scratch directory, named by process id; the next engine removes dead processes' parts.
 */
export class Scratch {
  readonly #name = `${namespace()}.${process.pid}.${randomUUID()}`;
  readonly #own: string;
  #opening: Promise<void> | undefined;

  constructor(private readonly base: string) {
    this.#own = join(base, this.#name);
  }

  get files(): string {
    return join(this.#own, "files");
  }

  get spill(): string {
    return join(this.#own, "spill");
  }

  /** Makes the directories, and removes dead processes' parts, once. */
  async open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw unpublished(error, this.#own);
    });
    await this.#opening;
    // Somebody may have emptied the scratch.
    if (!existsSync(this.files)) await this.#make();
  }

  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    await this.#opening.catch(() => undefined);
    this.#opening = undefined;
    await rm(this.#own, { recursive: true, force: true });
    living.delete(this.#name);
  }

  async #open(): Promise<void> {
    living.add(this.#name);
    await this.#make();
    for (const name of await readdir(this.base)) {
      const path = join(this.base, name);
      // It may be another user's, or another engine may be removing it.
      if (await isDead(path, name)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async #make(): Promise<void> {
    await mkdir(this.files, PRIVATE);
    await mkdir(this.spill, PRIVATE);
  }
}

/** Process ids of another container say nothing here: its part is dead after an idle day. */
async function isDead(path: string, name: string): Promise<boolean> {
  if (living.has(name)) return false;
  const [owner, pid] = name.split(".");
  if (owner === namespace()) return Number(pid) === process.pid || !isRunning(Number(pid));
  const found = await Promise.all([path, join(path, "files"), join(path, "spill")].map(modifiedAt));
  return Math.max(...found) < Date.now() - DAY;
}

async function modifiedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** Process ids differ by container. */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Outside any lake, for commands that only read. @throws InputError without a place */
export async function temporaryScratch(): Promise<string> {
  const user = process.getuid?.();
  const path = join(tmpdir(), `nightledger-${user ?? "scratch"}`);
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return;
    if (!NO_PLACE.has(code)) throw error;
    throw new InputError(`TMPDIR: ${path} can't be made (${code}). Accepted: a writable directory.`);
  });
  const found = await lstat(path);
  const isOurs = found.isDirectory() && found.uid === (user ?? found.uid) && (found.mode & 0o077) === 0;
  return isOurs ? path : mkdtemp(join(tmpdir(), "nightledger-"));
}
