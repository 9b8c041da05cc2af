import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The SQLite file of a HOME's server. */
export function databaseOf(home: string): string {
  return join(home, "temporal.db");
}

function markerOf(home: string): string {
  return `${databaseOf(home)}.ready`;
}

/**
 * Deletes a database on which no server was ever ready. A server creates its tables at its first start only: killed
 * meanwhile, it leaves a file on which none can start again, and nothing can have run there yet. Call it under HOME's
 * lock, while no server runs.
 */
export async function clearUnfinishedDatabase(home: string): Promise<void> {
  if (existsSync(markerOf(home))) return;
  for (const ending of ["", "-wal", "-shm"]) await rm(`${databaseOf(home)}${ending}`, { force: true });
}

/** Records, durably, that a server was ready on HOME's database: from now on the database is never deleted. */
export async function markDatabaseReady(home: string): Promise<void> {
  const marker = markerOf(home);
  if (existsSync(marker)) return;
  for (const [path, flags] of [
    [marker, "w"],
    [dirname(marker), "r"],
  ] as const) {
    const handle = await open(path, flags, 0o600);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
