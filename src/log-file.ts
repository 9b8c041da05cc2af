import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const MOST_BYTES = 10 * 1024 * 1024;
const KEPT = 5;

/**
 * A log that many processes write for months. One that finds it too large renames it to its own
 * `<name>.<time>-<pid>-<number>`, so no line is overwritten; the others notice at their next line.
 */
export function openLogFile(
  path: string,
  { mostBytes = MOST_BYTES, kept = KEPT }: { readonly mostBytes?: number; readonly kept?: number } = {},
) {
  let open: number | undefined = openSync(path, "a", 0o600);
  let aside = 0;
  const reopen = (old: number) => {
    open = openSync(path, "a", 0o600);
    closeSync(old);
    return open;
  };
  const current = (file: number) => {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined || there.ino !== fstatSync(file).ino) return reopen(file);
    if (there.size < mostBytes) return file;
    const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
    putAside(path, `${path}.${time}-${process.pid}-${aside}`);
    aside += 1;
    const next = reopen(file);
    removeOldest(path, kept);
    return next;
  };
  return {
    /** A line that can't be written is lost, and the work continues. */
    write(line: string) {
      if (open === undefined) return;
      try {
        appendFileSync(current(open), line);
      } catch {}
    },
    close() {
      if (open !== undefined) closeSync(open);
      open = undefined;
    },
  };
}

/** Unless another process has just done so. */
function putAside(path: string, name: string): void {
  try {
    renameSync(path, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function removeOldest(path: string, kept: number): void {
  const prefix = `${basename(path)}.`;
  const names = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(prefix) && /^\d{8}T\d{9}Z-\d+-\d+$/.test(name.slice(prefix.length)),
  );
  for (const name of names.sort().slice(0, -kept)) rmSync(join(dirname(path), name), { force: true });
}
