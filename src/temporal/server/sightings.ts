import { open, rename, utimes, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isHere, isProcessIdentity, isRunning, type ProcessIdentity } from "./process-identity.js";

/** How often the holder of a file renews it, so that others see from elsewhere that it lives. */
const RENEW_MS = 2_000;
/** A file that has not been renewed for so long has lost its holder. */
const STALE_MS = 15_000;

const LOOK_MS = 250;

export async function replaceFile(path: string, value: unknown, draft = `${path}.tmp`): Promise<void> {
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, path);
}

/** Renews a file for as long as its holder lives; returns what ends that, once no renewal is under way. */
export function keepRenewed(path: string): () => Promise<void> {
  let renewing: Promise<void> = Promise.resolve();
  const renew = async () => {
    const now = new Date();
    await utimes(path, now, now).catch(() => undefined);
  };
  const timer = setInterval(() => {
    renewing = renew();
  }, RENEW_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return renewing;
  };
}

/** Waits until a file is renewed, or proves to be left behind. */
export async function isRenewed(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  const before = await readStamped(path);
  for (const end = performance.now() + STALE_MS; performance.now() < end; ) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    const now = await readStamped(path);
    if (now === undefined) return false;
    if (now.stamp !== before?.stamp) return true;
  }
  return false;
}

/**
 * What this process has seen of files that name their holder. A holder here is looked up; one elsewhere lives for as
 * long as it renews its file, measured by this process's own clock: no two machines' clocks are compared.
 */
export class Sightings {
  readonly #seen = new Map<string, { readonly stamp: bigint; readonly at: number }>();

  /** @param mustRenew A holder here must renew its file too: one that hangs counts as dead. */
  constructor(private readonly mustRenew = false) {}

  /** Looks at a file now; a missing, torn or foreign one has no holder. */
  async look(path: string): Promise<{ holder: ProcessIdentity | undefined; lives: boolean }> {
    const found = await readStamped(path);
    if (found === undefined) return { holder: undefined, lives: false };
    const { holder, stamp } = found;
    const isGone = isHere(holder) && !isRunning(holder);
    const mustRenew = this.mustRenew || !isHere(holder);
    return { holder, lives: !isGone && (!mustRenew || this.#isRenewed(path, stamp)) };
  }

  #isRenewed(path: string, stamp: bigint): boolean {
    const now = performance.now();
    const seen = this.#seen.get(path);
    if (seen?.stamp === stamp) return now - seen.at < STALE_MS;
    this.#seen.set(path, { stamp, at: now });
    return true;
  }
}

// Opened rather than only stat'ed: a network file system then asks its server instead of its cache.
async function readStamped(
  path: string,
): Promise<{ readonly holder: ProcessIdentity; readonly stamp: bigint } | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { mtimeNs } = await file.stat({ bigint: true });
      const holder: unknown = JSON.parse(await file.readFile("utf8"));
      return isProcessIdentity(holder) ? { holder, stamp: mtimeNs } : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
