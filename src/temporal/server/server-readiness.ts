import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@temporalio/client";

const POLL_MS = 50;
const CALL_MS = 2_000;

interface ReadinessLimits {
  readonly deadlineMs: number;
  /** Ends the wait early: the process died, or the command was interrupted. */
  readonly stopped?: () => boolean;
}

/**
 * Waits until a Temporal server answers `GetSystemInfo` and knows the namespace; an open port is not enough.
 * `false` when it did not within the deadline.
 */
export async function becomesReady(
  address: string,
  namespace: string,
  limits: ReadinessLimits,
): Promise<boolean> {
  const deadline = Date.now() + limits.deadlineMs;
  while (Date.now() < deadline && !limits.stopped?.()) {
    if ((await portOpens(address)) && (await answers(address, namespace))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

async function answers(address: string, namespace: string): Promise<boolean> {
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CALL_MS, async () => {
      await connection.workflowService.getSystemInfo({});
      await connection.workflowService.describeNamespace({ namespace });
    });
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

// Asked before gRPC, whose channel waits a second after each refused connection.
function portOpens(address: string): Promise<boolean> {
  const colon = address.lastIndexOf(":");
  return new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    const finish = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(CALL_MS, () => finish(false));
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}

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
