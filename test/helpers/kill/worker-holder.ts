import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isProcessIdentity, isRunning } from "../../../src/temporal/server/process-identity.js";

/** The process that is the worker of a HOME's lake now (docs/inside/decisions/0023-one-worker-a-home.md). */
export function workerPid(home: string): number | undefined {
  for (const name of namesIn(home).filter((one) => one.startsWith("worker-"))) {
    const numbers = namesIn(join(home, name)).filter((one) => /^\d+$/.test(one));
    const last = numbers.sort((a, b) => Number(a) - Number(b)).at(-1);
    if (last === undefined) continue;
    const holder: unknown = JSON.parse(readFileSync(join(home, name, last), "utf8"));
    if (isProcessIdentity(holder) && isRunning(holder)) return holder.pid;
  }
  return undefined;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
