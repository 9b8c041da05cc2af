import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isProcessIdentity, type ProcessIdentity } from "./process-identity.js";
import { replaceFile } from "./sightings.js";

/** The embedded server that HOME knows of, as `HOME/server.json` keeps it. */
export interface ServerRecord extends ProcessIdentity {
  readonly port: number;
  readonly address: string;
  readonly ui?: string | undefined;
  /** Name of the pipe to its supervisor, in HOME. */
  readonly pipe?: string | undefined;
}

/** The record of a HOME. Every command that uses its server renews the file's time, for those elsewhere to see. */
export function recordOf(home: string): string {
  return join(home, "server.json");
}

/** Reads `HOME/server.json`; a missing or torn one is no record. */
export async function readServerRecord(home: string): Promise<ServerRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(recordOf(home), "utf8"));
    if (!isProcessIdentity(record)) return undefined;
    const { port, address, pipe } = record as Partial<ServerRecord>;
    // A pipe's name is that of a file of ours: HOME may be shared with others who write to it.
    const isNamed = pipe === undefined || /^server-[0-9a-f]+\.pipe$/.test(pipe);
    return isNamed && typeof port === "number" && typeof address === "string"
      ? (record as ServerRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes `HOME/server.json`, whole or not at all. Call it under HOME's lock. */
export async function writeServerRecord(home: string, record: ServerRecord): Promise<void> {
  await replaceFile(recordOf(home), record);
}

/** Deletes `HOME/server.json`. Call it under HOME's lock, once the process is gone. */
export async function removeServerRecord(home: string): Promise<void> {
  await rm(recordOf(home), { force: true });
}
