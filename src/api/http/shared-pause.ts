import { hash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_RETRY_AFTER_MS } from "../../domain/service/pace/retry-after.js";

/** Two changes in one tick of the clock share a modification time; after this age it is reliable. */
const SETTLED_MS = 3_000;

/**
 * The pause that a service asked for (`Retry-After`), kept in a directory for all processes that call it: an empty
 * file named by the service and by when the pause ends. Files are only added, so nobody shortens another's pause.
 * All of it is synchronous: it is asked right before a request leaves. So the directory is looked at once in a
 * millisecond, and read only when it changed.
 */
export class SharedPause {
  readonly #prefix: string;
  /** What the directory held at this modification time; undefined while more may have been added at the same time. */
  #known: { readonly changedMs: number; readonly ends: readonly number[] } | undefined;
  #lookedAtMs = 0;
  #until = 0;

  constructor(
    readonly directory: string,
    baseUrl: string,
  ) {
    this.#prefix = `${hash("sha256", baseUrl).slice(0, 16)}-`;
  }

  /** Epoch milliseconds until which no call may start; 0 where there is no pause. */
  until(): number {
    const now = Date.now();
    if (now === this.#lookedAtMs) return this.#until;
    // One that ends later than any can was written by a clock that was set back since.
    const ends = this.#knownEnds(now).filter((end) => end > now && end <= now + MAX_RETRY_AFTER_MS);
    this.#lookedAtMs = now;
    this.#until = Math.max(0, ...ends);
    return this.#until;
  }

  /** Lets no call of any of the processes start before `end`. */
  extend(end: number): void {
    this.#lookedAtMs = 0;
    try {
      mkdirSync(this.directory, { mode: 0o700 });
    } catch {
      // It is there, or can't be made: the next line tells.
    }
    try {
      writeFileSync(join(this.directory, `${this.#prefix}${Math.ceil(end)}`), "", { mode: 0o600 });
      for (const past of this.#ends().filter((known) => known < Date.now() - MAX_RETRY_AFTER_MS)) {
        rmSync(join(this.directory, `${this.#prefix}${past}`), { force: true });
      }
    } catch {
      // A full disk: this process still keeps the pause itself.
    }
  }

  #knownEnds(now: number): readonly number[] {
    const changedMs = changeOf(this.directory);
    if (changedMs === undefined) return [];
    if (this.#known?.changedMs === changedMs) return this.#known.ends;
    const ends = this.#ends();
    this.#known = now - changedMs > SETTLED_MS ? { changedMs, ends } : undefined;
    return ends;
  }

  #ends(): number[] {
    let names: string[];
    try {
      names = readdirSync(this.directory);
    } catch {
      return [];
    }
    return names
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => Number(name.slice(this.#prefix.length)));
  }
}

/** Epoch milliseconds of a directory's last change; undefined where it can't be seen. */
function changeOf(directory: string): number | undefined {
  try {
    return statSync(directory, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}
