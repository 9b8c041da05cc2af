import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identifySelf, isProcessIdentity, isRunning } from "./process-identity.js";

/** Notes that this process uses the embedded server of a HOME; returns the lease's file. */
export async function writeLease(home: string): Promise<string> {
  const directory = join(home, "leases");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const self = identifySelf();
  const path = join(directory, `${self.pid}-${randomUUID().slice(0, 8)}.json`);
  await writeFile(`${path}.tmp`, JSON.stringify(self), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return path;
}

/** Takes a lease back; one that is gone already harms nothing. */
export async function removeLease(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** The leases of processes that still run; those of dead ones are cleared away. Call it under HOME's lock. */
export async function liveLeases(home: string): Promise<string[]> {
  const directory = join(home, "leases");
  const live: string[] = [];
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    if (name.endsWith(".json") && (await holderRuns(path))) live.push(path);
    else await rm(path, { force: true });
  }
  return live;
}

async function holderRuns(path: string): Promise<boolean> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, "utf8"));
    return isProcessIdentity(holder) && isRunning(holder);
  } catch {
    return false;
  }
}
