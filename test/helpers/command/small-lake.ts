import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";
import type { Sandbox } from "../../../sandbox/index.js";
import { TABLES } from "../../../src/tables.js";
import { type JobFolder, openJobFolder } from "./job-folder.js";

const run = promisify(execFile);

/** A folder whose lake is a small file system of its own. */
interface SmallLake extends JobFolder {
  grow(): Promise<void>;
}

/** What the tables of a new lake take: a page of memory for the only file of each. */
const EMPTY_KILOBYTES = 4 * TABLES.length;

/** Mounts the file system, with so much room beside the empty tables; undefined where this user may not mount one. */
export async function openSmallLake(sandbox: Sandbox, kilobytes: number): Promise<SmallLake | undefined> {
  const folder = await openJobFolder(sandbox);
  await mkdir(folder.lake);
  try {
    await run("mount", [
      "-t",
      "tmpfs",
      "-o",
      `size=${EMPTY_KILOBYTES + kilobytes}k`,
      "nightledger-test",
      folder.lake,
    ]);
  } catch {
    await folder.release();
    return undefined;
  }
  return {
    ...folder,
    grow: async () => {
      await run("mount", ["-o", "remount,size=64m", folder.lake]);
    },
    async release() {
      await folder.end();
      await run("umount", ["-l", folder.lake]);
      await folder.release();
    },
  };
}
