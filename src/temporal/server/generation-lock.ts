import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";
import {
  identify,
  identifySelf,
  isProcessIdentity,
  isRunning,
  type ProcessIdentity,
} from "./process-identity.js";

/** How long and how loudly to wait for a lock. */
export interface LockWait {
  /** What the lock guards, for messages: "HOME /srv/.nightledger". */
  readonly guards: string;
  readonly waitMs: number;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Generation {
  readonly number: number;
  readonly holder: ProcessIdentity | undefined;
}

const POLL_MS = 40;
const FIRST_REPORT_MS = 2_000;
const REPORT_EVERY_MS = 15_000;
const KEPT_GENERATIONS = 16;

/**
 * Takes an exclusive lock between processes, kept as numbered files in a directory; returns its release.
 *
 * The lock is the highest number. It is free when its holder released it or no longer runs, and is taken by
 * creating the next number, which only one process can. So the lock of a killed command is free at once, and
 * two that find it so cannot both get it: a lock file that is removed and made anew (as `proper-lockfile` does
 * with a stale one) can be removed again by the slower of the two.
 *
 * @throws UnreachableError when the lock is still held after `waitMs`; the signal's reason when aborted.
 */
export async function acquireLock(directory: string, wait: LockWait): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const self = identifySelf();
  const startedAt = Date.now();
  let nextReportMs = FIRST_REPORT_MS;
  for (;;) {
    wait.signal?.throwIfAborted();
    const last = await lastGeneration(directory);
    if (last.holder === undefined || !isRunning(last.holder)) {
      const number = await take(directory, last.number + 1, self);
      if (number !== undefined) return () => release(directory, number);
      continue;
    }
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs > wait.waitMs) {
      throw new UnreachableError(
        `${wait.guards} is held by another Nightledger command (pid ${last.holder.pid}) for more than ` +
          `${Math.round(wait.waitMs / 1000)} s. Nothing was changed. Wait for it or end it, then try again.`,
      );
    }
    if (elapsedMs > nextReportMs) {
      nextReportMs += REPORT_EVERY_MS;
      wait.report(`Waiting for another Nightledger command (pid ${last.holder.pid}) to free ${wait.guards}.`);
    }
    await sleep(POLL_MS);
  }
}

async function numbersOf(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

async function lastGeneration(directory: string): Promise<Generation> {
  const number = (await numbersOf(directory)).at(-1) ?? 0;
  return { number, holder: number === 0 ? undefined : await readHolder(join(directory, String(number))) };
}

// Released, torn by a power failure or already cleared away: nobody holds it.
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, "utf8"));
    return isProcessIdentity(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

async function take(directory: string, number: number, self: ProcessIdentity): Promise<number | undefined> {
  const draft = join(directory, `draft-${self.pid}-${randomUUID()}`);
  await writeFile(draft, JSON.stringify(self), { mode: 0o600 });
  try {
    await link(draft, join(directory, String(number)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const numbers = await numbersOf(directory);
  // A process that slept since it looked may have filled a gap left by the clearing below.
  if (numbers.at(-1) !== number) {
    await rm(join(directory, String(number)), { force: true });
    return undefined;
  }
  await clear(directory, number);
  return number;
}

// Some are kept, so that a directory listing that overlaps with many turns still sees a high number.
async function clear(directory: string, held: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^draft-(\d+)-/.exec(name)?.[1];
    const outdated = pid === undefined ? Number(name) <= held - KEPT_GENERATIONS : !identify(Number(pid));
    if (outdated) await rm(join(directory, name), { force: true });
  }
}

async function release(directory: string, number: number): Promise<void> {
  const draft = join(directory, `draft-${process.pid}-${randomUUID()}`);
  await writeFile(draft, JSON.stringify({ released: true }), { mode: 0o600 });
  await rename(draft, join(directory, String(number)));
}
