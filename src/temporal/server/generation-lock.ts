import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";
import { identifySelf, isHere, type ProcessIdentity } from "./process-identity.js";
import { keepRenewed, Sightings } from "./sightings.js";

/** How long and how loudly to wait for a lock. */
interface LockWait {
  /** What the lock guards, for messages: "HOME /srv/.nightledger". */
  readonly guards: string;
  readonly waitMs: number;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** How often to look. */
  readonly pollMs?: number;
  /** A holder here must renew its file too, so that one which stands still loses the lock. */
  readonly mustRenew?: boolean;
}

const POLL_MS = 40;
const FIRST_REPORT_MS = 2_000;
const REPORT_EVERY_MS = 15_000;
const KEPT_GENERATIONS = 16;
/** A draft lives for a moment: one that is so old was left by a killed process. */
const DRAFT_MS = 3_600_000;

/**
 * Takes an exclusive lock between processes, kept as numbered files in a directory; returns its release.
 *
 * The lock is the highest number. It is free when its holder released it or no longer runs, and is taken by
 * creating the next number, which only one process can. So the lock of a killed command is free at once, and
 * two that find it so cannot both get it: a lock file that is removed and made anew (as `proper-lockfile` does
 * with a stale one) can be removed again by the slower of the two. A holder on another machine or in another PID
 * namespace can't be looked up: it holds the lock for as long as it renews its file.
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
    // Released, torn by a power failure or already cleared away: nobody holds it.
    const { holder, lives } = await sightings.look(fileOf(directory, last));
    if (holder === undefined || !lives) {
      const number = await take(directory, last + 1, self);
      if (number !== undefined) return held(directory, number);
      continue;
    }
    const who = `another Nightledger command (pid ${holder.pid}${isHere(holder) ? "" : " elsewhere"})`;
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs >= wait.waitMs) {
      throw new UnreachableError(
        `${wait.guards} is held by ${who} for more than ${Math.round(wait.waitMs / 1000)} s. ` +
          "Nothing was changed. Wait for it or end it, then try again.",
      );
    }
    if (elapsedMs > nextReportMs) {
      nextReportMs += REPORT_EVERY_MS;
      wait.report(`Waiting for ${who} to free ${wait.guards}.`);
    }
    await sleep(wait.pollMs ?? POLL_MS);
  }
}

function held(directory: string, number: number): () => Promise<void> {
  const stopRenewing = keepRenewed(fileOf(directory, number));
  return async () => {
    await stopRenewing();
    await release(directory, number);
  };
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
  const draft = join(directory, `draft-${self.pid}-${randomUUID()}`);
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
  // A process that slept since it looked may have filled a gap left by the clearing below.
  if (numbers.at(-1) !== number) {
    await rm(fileOf(directory, number), { force: true });
    return undefined;
  }
  await clear(directory, number);
  return number;
}

// Some are kept, so that a directory listing that overlaps with many turns still sees a high number.
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

async function release(directory: string, number: number): Promise<void> {
  const draft = join(directory, `draft-${process.pid}-${randomUUID()}`);
  await writeFile(draft, JSON.stringify({ released: true }), { mode: 0o600 });
  await rename(draft, fileOf(directory, number));
}
