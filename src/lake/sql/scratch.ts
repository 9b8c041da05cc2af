import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { errorCode, unpublished } from "../store/local/local-store-errors.js";

/** Begins as the names of the store's temp files do, so no listing of the lake shows it. */
const LEASE = ".tmp-lease";
const BEAT_MS = 30_000;
/** At this age a lease is a dead engine's, if it also did not change for some beats, whatever clocks say. */
const STALE_MS = 10 * BEAT_MS;
const RESTING_BEATS = 4;
/** At this age a lease is a dead engine's at first sight. */
const FORGOTTEN_MS = 3_600_000;

const NO_PLACE = new Set(["ENOENT", "ENOTDIR", "EACCES", "EROFS"]);

const PRIVATE = { recursive: true, mode: 0o700 } as const;

/** When another engine last renewed its lease, and how many beats have seen no newer time. */
interface LastRenewal {
  readonly at: number;
  readonly beats: number;
}

/**
 * One engine's own part of a scratch directory that engines of many processes and machines share. Its name is random, its
 * lease says that the engine lives, by the file system's time; the next engine removes what dead ones left.
 */
export class Scratch {
  readonly #id = randomUUID();
  readonly #own: string;
  #others: ReadonlyMap<string, LastRenewal> = new Map();
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  /** @param makeParent makes the directory above the base. */
  constructor(
    private readonly base: string,
    private readonly makeParent: () => Promise<unknown> = async () => undefined,
  ) {
    this.#own = join(base, this.#id);
  }

  /** Where files for SQL, or by SQL, are; it exists once the scratch is open. */
  get files(): string {
    return join(this.#own, "files");
  }

  get spill(): string {
    return join(this.#own, "spill");
  }

  /** Makes the directories and the lease, and removes what dead engines left. Does so once, until it is closed. */
  async open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw unpublished(error, this.#own);
    });
    await this.#opening;
    // Another engine took this one for dead, as after a long sleep of the machine.
    if (!existsSync(this.files)) await this.beat();
  }

  /** Renews the lease, makes removed directories again, and removes what dead engines left. */
  async beat(): Promise<void> {
    await this.#makeDirectories();
    const now = await this.#renew();
    const others = new Map<string, LastRenewal>();
    for (const name of await readdir(this.base)) {
      if (name === this.#id) continue;
      const path = join(this.base, name);
      // An engine that was killed before it wrote its lease has only its directory.
      const sign = await lstat(join(path, LEASE)).catch(() => lstat(path).catch(() => undefined));
      if (sign === undefined) continue;
      const at = sign.mtimeMs;
      const before = this.#others.get(name);
      const beats = before?.at === at ? before.beats + 1 : 0;
      others.set(name, { at, beats });
      if (now - at <= (beats >= RESTING_BEATS ? STALE_MS : FORGOTTEN_MS)) continue;
      // It may be another user's, or another engine may be removing it: the next beat tries again.
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
    this.#others = others;
  }

  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    await this.#opening.catch(() => undefined);
    clearInterval(this.#timer);
    await this.#beating;
    this.#opening = undefined;
    await rm(this.#own, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    await this.makeParent();
    await this.beat();
    // A beat that fails (a full disk, an absent mount) does no harm: the next one renews the lease.
    this.#timer = setInterval(() => {
      this.#beating = this.beat().catch(() => undefined);
    }, BEAT_MS);
    this.#timer.unref();
  }

  async #makeDirectories(): Promise<void> {
    await mkdir(this.files, PRIVATE);
    await mkdir(this.spill, PRIVATE);
  }

  /** Writes over the same bytes, which needs no room on a full disk, and returns the file system's time. */
  async #renew(): Promise<number> {
    const path = join(this.#own, LEASE);
    const text = new Date().toISOString();
    try {
      const lease = await open(path, "r+");
      try {
        await lease.write(text, 0);
      } finally {
        await lease.close();
      }
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      await writeFile(path, text, { mode: 0o600 });
    }
    return (await stat(path)).mtimeMs;
  }
}

/** Makes a scratch directory outside any lake, for commands of this user that only read. @throws InputError without a place. */
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
