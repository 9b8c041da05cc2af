import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

// Imported first, it lets the process live days later: its clock, and the times of files that it writes. What Temporal
// says of the time is as it was.
const RealDate = Date;
const began = RealDate.now() - 1_000;
const HALF_A_DAY = 43_200_000;
let shiftMs = 0;
const shift = () => shiftMs;

/** From now on the process lives so much later. */
export function liveLater(milliseconds: number): void {
  shiftMs = milliseconds;
}

class LaterDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [LaterDate.now()] : given) as []));
  }
  static override now(): number {
    return RealDate.now() + shift();
  }
}
globalThis.Date = LaterDate as DateConstructor;

/** Files of earlier days already have the time of their day. */
function later<S extends fs.Stats | undefined>(stats: S): S {
  if (stats !== undefined && stats.mtimeMs >= began && stats.mtimeMs < began + HALF_A_DAY) {
    stats.mtimeMs += shift();
    stats.mtime = new RealDate(stats.mtimeMs);
  }
  return stats;
}

const { stat, lstat } = fs.promises;
const { statSync, lstatSync, fstatSync } = fs;
Object.assign(fs.promises, {
  stat: async (...given: Parameters<typeof stat>) => later((await stat(...given)) as fs.Stats),
  lstat: async (...given: Parameters<typeof lstat>) => later((await lstat(...given)) as fs.Stats),
});
Object.assign(fs, {
  statSync: (...given: Parameters<typeof statSync>) => later(statSync(...given) as fs.Stats),
  lstatSync: (...given: Parameters<typeof lstatSync>) => later(lstatSync(...given) as fs.Stats),
  fstatSync: (...given: Parameters<typeof fstatSync>) => later(fstatSync(...given) as fs.Stats),
});
syncBuiltinESMExports();

/** Gives the files that were written since `since`, in milliseconds, the time of `later` milliseconds after it. */
export async function dateFiles(directory: string, since: number, later: number): Promise<void> {
  const now = since + HALF_A_DAY;
  for (const entry of await fs.promises.readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = entry.isFile() ? await fs.promises.stat(path).catch(() => undefined) : undefined;
    if (found === undefined || found.mtimeMs < since || found.mtimeMs > now) continue;
    await fs.promises.utimes(path, found.atime, new RealDate(found.mtimeMs + later));
  }
}
