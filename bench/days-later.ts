import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded before a command (`node --import`), it lets the command live as much later as `BENCH_SHIFT_MS` says: its clock,
 * and the times of files that it writes. What Temporal says of the time is as it was.
 */
const shift = () => Number(process.env.BENCH_SHIFT_MS ?? 0);
const RealDate = Date;
const began = RealDate.now() - 1_000;
const HALF_A_DAY = 43_200_000;

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
