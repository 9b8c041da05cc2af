import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";
import type { Sandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "./job-folder.js";

const run = promisify(execFile);

/** A folder whose lake is a small file system of its own. */
interface SmallLake extends JobFolder {
  /** Makes room. */
  grow(): Promise<void>;
}

/** Mounts the file system; undefined where this user may not mount one. */
export async function openSmallLake(sandbox: Sandbox, kilobytes: number): Promise<SmallLake | undefined> {
  const folder = await openJobFolder(sandbox);
  await mkdir(folder.lake);
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "nightledger-test", folder.lake]);
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
