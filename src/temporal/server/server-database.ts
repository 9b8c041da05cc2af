import { access, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The embedded server's SQLite file in a HOME. */
export function databaseOf(home: string): string {
  return join(home, "temporal.db");
}

function markerOf(home: string): string {
  return `${databaseOf(home)}.ready`;
}

/**
 * Takes away a database that no server ever got ready on. A server makes its tables at the first start only:
 * killed meanwhile, it leaves a file on which none ever starts again, and nothing can have run there yet.
 * Call it under HOME's lock, while no server runs.
 */
export async function clearUnfinishedDatabase(home: string): Promise<void> {
  if (await isThere(markerOf(home))) return;
  for (const ending of ["", "-wal", "-shm"]) await rm(`${databaseOf(home)}${ending}`, { force: true });
}

/** Notes, durably, that a server was ready on HOME's database: from now on it is kept whatever happens. */
export async function markDatabaseReady(home: string): Promise<void> {
  const marker = markerOf(home);
  if (await isThere(marker)) return;
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

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
