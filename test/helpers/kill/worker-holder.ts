import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { identify } from "../temporal/processes.js";

/** The process that is the worker of a HOME's lake now (docs/inside/decisions/0023-one-worker-a-home.md). */
export function workerPid(home: string): number | undefined {
  try {
    for (const name of readdirSync(home).filter((one) => /^worker-.*\.lock$/.test(one))) {
      const pid = Number.parseInt(readFileSync(join(home, name), "utf8"), 10);
      if (identify(pid) !== undefined) return pid;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return undefined;
}
