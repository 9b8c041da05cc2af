import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
// @ts-expect-error It has no types.
import locks from "fs-native-extensions";
import { UnreachableError } from "../../domain/failures.js";

/** For this descriptor and its copies in children; false where another one has the lock. */
const tryLock: (fd: number, offset: number, length: number, options: { shared: boolean }) => boolean =
  locks.tryLock;

interface LockWait {
  /** What the lock guards, for messages: "HOME /srv/.nightledger". */
  readonly guards: string;
  readonly waitMs: number;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number;
}

const POLL_MS = 40;
const FIRST_REPORT_MS = 2_000;
const REPORT_EVERY_MS = 15_000;

/**
 * An exclusive lock between processes on a file with its holder's pid (docs/inside/decisions/0003-kernel-locks.md). The
 * kernel keeps it while any process has the file open, children that inherit it included: the lock of a killed process
 * is free at once.
 */
export class FileLock {
  #isHeld = false;

  private constructor(readonly file: FileHandle) {}

  /** Opens the file, in a directory that is made if it is missing; takes nothing. */
  static async open(path: string): Promise<FileLock> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new FileLock(await open(path, "a+", 0o600));
  }

  /** Takes the lock; true also where this one has it already. */
  async take(): Promise<boolean> {
    if (this.#isHeld) return true;
    if (!tryLock(this.file.fd, 0, 0, { shared: false })) return false;
    this.#isHeld = true;
    await this.file.truncate();
    await this.file.appendFile(`${process.pid}\n`);
    return true;
  }

  /** The holder, for messages. */
  async holder(): Promise<string> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(32), 0, 32, 0);
    const pid = buffer.toString("utf8", 0, bytesRead).trim();
    return `another Nightledger command${pid === "" ? "" : ` (pid ${pid})`}`;
  }

  release(): Promise<void> {
    return this.file.close();
  }
}

/** Whether a process has the lock of a file. */
export async function isLocked(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  try {
    return file !== undefined && !tryLock(file.fd, 0, 0, { shared: true });
  } finally {
    await file?.close();
  }
}

/**
 * Takes a lock and returns its release.
 * @throws UnreachableError when it is still held after `waitMs`; the signal's reason when aborted
 */
export async function acquireLock(path: string, wait: LockWait): Promise<() => Promise<void>> {
  const lock = await FileLock.open(path);
  const startedAt = performance.now();
  let nextReportMs = FIRST_REPORT_MS;
  try {
    for (;;) {
      wait.signal?.throwIfAborted();
      if (await lock.take()) return () => lock.release();
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs >= wait.waitMs) {
        throw new UnreachableError(
          `${wait.guards} is held by ${await lock.holder()}, for more than ${Math.round(wait.waitMs / 1000)} s already. ` +
            "Nothing was changed. Wait for that command or end it, then try again.",
        );
      }
      if (elapsedMs > nextReportMs) {
        nextReportMs += REPORT_EVERY_MS;
        wait.report(`Waiting for ${await lock.holder()} to release ${wait.guards}.`);
      }
      await sleep(wait.pollMs ?? POLL_MS);
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}
