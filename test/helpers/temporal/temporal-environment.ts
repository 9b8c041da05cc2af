import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTemporalCli } from "../../../src/temporal/cli/cli-binary.js";
import { connectClient, type TemporalClient } from "../../../src/temporal/connection.js";
import { type EncryptionKeys, parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { startServer } from "../../../src/temporal/server/server-process.js";

export interface TestTemporal {
  readonly address: string;
  readonly namespace: string;
  /** The folder of a server of its own: its log, and `temporal.db` when it keeps its state in a file. */
  readonly directory: string;
  /** A connected client; closed by `stop` at the latest. */
  client(keys?: EncryptionKeys): Promise<TemporalClient>;
  /** Ends what was started or connected, and leaves nothing behind. */
  stop(): Promise<void>;
}

/** The committed key of tests and replay fixtures. It protects nothing. */
const TEST_KEYS_TEXT = `test:${Buffer.alloc(32, 7).toString("base64")}`;
export const TEST_KEYS = parseEncryptionKeys(TEST_KEYS_TEXT);

/** The variables by which commands and workers use a server as a cluster. */
export function clusterEnv({ address }: Pick<TestTemporal, "address">) {
  return { TEMPORAL_ADDRESS: address, NIGHTLEDGER_ENCRYPTION_KEYS: TEST_KEYS_TEXT };
}

export async function temporalCliPath(): Promise<string> {
  const report = (message: string) => void process.stderr.write(`${message}\n`);
  return (await findTemporalCli({ env: process.env, report })).path;
}

/** Starts a fresh server as the embedded mode does, in memory unless a file is asked for. */
export async function startTestTemporal(options: { file?: boolean } = {}): Promise<TestTemporal> {
  const cliPath = await temporalCliPath();
  const directory = await mkdtemp(join(tmpdir(), "nightledger-temporal-"));
  const namespace = "default";
  try {
    const { port, stop } = await startServer({
      cliPath,
      database: options.file ? join(directory, "temporal.db") : undefined,
      logFile: join(directory, "temporal.log"),
      namespace,
    });
    return connectedTo({ address: `127.0.0.1:${port}`, namespace, directory }, async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** A running server with clients that `stop` closes before it ends the rest. */
export function connectedTo(
  server: Pick<TestTemporal, "address" | "namespace" | "directory">,
  end: () => Promise<void>,
): TestTemporal {
  const { address, namespace } = server;
  const clients: TemporalClient[] = [];
  return {
    ...server,
    client: async (keys = TEST_KEYS) => {
      const client = await connectClient({ address, namespace }, keys);
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients.reverse()) await client.close();
      await end();
    },
  };
}
