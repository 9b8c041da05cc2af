import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { identifySelf, isHere } from "./process-identity.js";
import { keepRenewed, replaceFile, type Sightings } from "./sightings.js";

export function leasesOf(home: string): string {
  return join(home, "leases");
}

export interface Lease {
  readonly path: string;
  remove(): Promise<void>;
}

/** Records, until it is removed, that this process uses the embedded server of a HOME. */
export async function writeLease(home: string): Promise<Lease> {
  const directory = leasesOf(home);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const self = identifySelf();
  const path = join(directory, `${self.pid}-${randomUUID().slice(0, 8)}.json`);
  const write = () => replaceFile(path, self);
  await write();
  const stopRenewing = keepRenewed(path, write);
  return {
    path,
    remove: async () => {
      await stopRenewing();
      await rm(path, { force: true });
    },
  };
}

interface LiveLease {
  readonly path: string;
  /** Of another machine or PID namespace: it may have a server there that can't be seen from here. */
  readonly isElsewhere: boolean;
}

/** The leases of processes that live; those of dead ones are cleared away. Call it under HOME's lock. */
export async function liveLeases(home: string, sightings: Sightings): Promise<LiveLease[]> {
  const directory = leasesOf(home);
  const live: LiveLease[] = [];
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const { holder, lives } = await sightings.look(path);
    if (holder !== undefined && lives && name.endsWith(".json"))
      live.push({ path, isElsewhere: !isHere(holder) });
    else await rm(path, { force: true });
  }
  return live;
}
