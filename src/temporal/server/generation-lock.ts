import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";
import { identifySelf, isHere, type ProcessIdentity } from "./process-identity.js";
import { keepRenewed, replaceFile, Sightings } from "./sightings.js";

interface LockWait {
  /** What the lock guards, for messages: "HOME /srv/.nightledger". */
  readonly guards: string;
  readonly waitMs: number;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number;
  /** A holder here must renew its file too, so that one that hangs loses the lock. */
  readonly mustRenew?: boolean;
}

const POLL_MS = 40;
const FIRST_REPORT_MS = 2_000;
const REPORT_EVERY_MS = 15_000;
const KEPT_GENERATIONS = 16;
/** A draft exists for a moment: one of this age was left by a killed process. */
const DRAFT_MS = 3_600_000;

/**
 * Takes an exclusive lock between processes, kept as numbered files in a directory; returns its release.
 *
 * The highest number is the lock. It is free when its holder released it or no longer runs; a process takes it by
 * creating the next number, which only one process can do. So the lock of a killed command is free at once, and two
 * that find it free cannot both get it. (If a stale lock file were deleted and created again, as `proper-lockfile`
 * does, the slower of two could delete the new one.) A holder on another machine or in another PID namespace can't be
 * looked up: it holds the lock for as long as it renews its file.
 *
 * @throws UnreachableError when the lock is still held after `waitMs`; the signal's reason when aborted.
 */
export async function acquireLock(directory: string, wait: LockWait): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const self = identifySelf();
  const sightings = new Sightings(wait.mustRenew);
  const startedAt = Date.now();
  let nextReportMs = FIRST_REPORT_MS;
  for (;;) {
    wait.signal?.throwIfAborted();
    const last = (await numbersOf(directory)).at(-1) ?? 0;
    // Nobody holds a file that is released, torn by a power failure or cleared away.
    const { holder, lives } = await sightings.look(fileOf(directory, last));
    if (holder === undefined || !lives) {
      const number = await take(directory, last + 1, self);
      if (number !== undefined) return keepLock(directory, number);
      continue;
    }
    const who = `another Nightledger command (pid ${holder.pid}${isHere(holder) ? "" : " elsewhere"})`;
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs >= wait.waitMs) {
      throw new UnreachableError(
        `${wait.guards} is held by ${who}, for more than ${Math.round(wait.waitMs / 1000)} s already. ` +
          "Nothing was changed. Wait for that command or end it, then try again.",
      );
    }
    if (elapsedMs > nextReportMs) {
      nextReportMs += REPORT_EVERY_MS;
      wait.report(`Waiting for ${who} to release ${wait.guards}.`);
    }
    await sleep(wait.pollMs ?? POLL_MS);
  }
}

function keepLock(directory: string, number: number): () => Promise<void> {
  const path = fileOf(directory, number);
  const stopRenewing = keepRenewed(path);
  return async () => {
    await stopRenewing();
    await replaceFile(path, { released: true }, draftIn(directory));
  };
}

function draftIn(directory: string): string {
  return join(directory, `draft-${process.pid}-${randomUUID()}`);
}

function fileOf(directory: string, number: number): string {
  return join(directory, String(number));
}

async function numbersOf(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

async function take(directory: string, number: number, self: ProcessIdentity): Promise<number | undefined> {
  const draft = draftIn(directory);
  await writeFile(draft, JSON.stringify(self), { mode: 0o600 });
  try {
    await link(draft, fileOf(directory, number));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The draft itself may be cleared away, where another machine's clock is far ahead.
    if (code === "EEXIST" || code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const numbers = await numbersOf(directory);
  // After a long sleep this process may have filled a gap that `clear` has left.
  if (numbers.at(-1) !== number) {
    await rm(fileOf(directory, number), { force: true });
    return undefined;
  }
  await clear(directory, number);
  return number;
}

// Some are kept, so that a slow directory listing still sees a high number while others take the lock.
async function clear(directory: string, newest: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const outdated = name.startsWith("draft-")
      ? await isOld(path)
      : Number(name) <= newest - KEPT_GENERATIONS;
    if (outdated) await rm(path, { force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.mtimeMs < Date.now() - DRAFT_MS;
}
