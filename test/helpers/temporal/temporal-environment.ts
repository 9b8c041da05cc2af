import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTemporalCli } from "../../../src/temporal/cli/cli-binary.js";
import { connectClient, type TemporalClient } from "../../../src/temporal/connection.js";
import type { EncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { endProcess, startServer } from "../../../src/temporal/server/server-process.js";

/** A Temporal server of one test file. */
export interface TestTemporal {
  readonly address: string;
  readonly namespace: string;
  /** The server's folder: its log, and `temporal.db` when it keeps its state in a file. */
  readonly directory: string;
  readonly pid: number;
  /** A connected client; closed by `stop` at the latest. */
  client(keys?: EncryptionKeys): Promise<TemporalClient>;
  /** Ends the server and leaves nothing behind. */
  stop(): Promise<void>;
}

/** The committed key of tests and replay fixtures. It protects nothing. */
export const TEST_KEYS = parseEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);

/** The path of the Temporal CLI, found or installed as the product does it. */
export async function temporalCliPath(): Promise<string> {
  const report = (message: string) => void process.stderr.write(`${message}\n`);
  return (await findTemporalCli({ env: process.env, report })).path;
}

/** Starts a fresh server as the embedded mode does, in memory unless a file is asked for. */
export async function startTestTemporal(options: { file?: boolean } = {}): Promise<TestTemporal> {
  const cliPath = await temporalCliPath();
  const directory = await mkdtemp(join(tmpdir(), "nightledger-temporal-"));
  const namespace = "default";
  const clients: TemporalClient[] = [];
  try {
    const record = await startServer({
      cliPath,
      database: options.file ? join(directory, "temporal.db") : undefined,
      logFile: join(directory, "temporal.log"),
      namespace,
    });
    return {
      address: record.address,
      namespace,
      directory,
      pid: record.pid,
      client: async (keys = TEST_KEYS) => {
        const client = await connectClient({ address: record.address, namespace }, keys);
        clients.push(client);
        return client;
      },
      stop: async () => {
        for (const client of clients.reverse()) await client.close();
        await endProcess(record, 0);
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
