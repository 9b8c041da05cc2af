import type { TemporalAddress } from "../connection-settings.js";
import { EMBEDDED_NAMESPACE } from "./home-server.js";
import { isRunning } from "./process-identity.js";
import { readServerRecord } from "./server-record.js";

/** The embedded server that other commands of a HOME keep running on this machine; starts and holds nothing. */
export async function runningServer(home: string): Promise<TemporalAddress | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !isRunning(record)) return undefined;
  return { address: record.address, namespace: EMBEDDED_NAMESPACE };
}
