import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "./local-store-errors.js";

const AT_ONCE = 8;

/**
 * Deletes a directory with all that is in it; what is not there already does no harm. Node's own `rm` looks at
 * every file before it deletes it and does one after the other: staging holds tens of thousands.
 */
export async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (entries === undefined) return;
  const rest = [...entries];
  const lane = async () => {
    for (let entry = rest.pop(); entry !== undefined; entry = rest.pop()) {
      const path = join(directory, entry.name);
      await (entry.isDirectory() ? removeTree(path) : ignoringAbsence(unlink(path)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, rest.length) }, lane));
  await ignoringAbsence(rmdir(directory));
}

async function ignoringAbsence(work: Promise<void>): Promise<void> {
  await work.catch((error) => {
    if (!isAbsent(error)) throw error;
  });
}
