import type { TemporalAddress } from "../connection-settings.js";
import { EMBEDDED_NAMESPACE } from "./home-server.js";
import { isHere, isRunning } from "./process-identity.js";
import { readServerRecord } from "./server-record.js";

/** Finds the embedded server of a HOME that runs on this machine now. Starts and holds nothing. */
export async function runningServer(home: string): Promise<TemporalAddress | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !isHere(record) || !isRunning(record)) return undefined;
  return { address: record.address, namespace: EMBEDDED_NAMESPACE };
}
