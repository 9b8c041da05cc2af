import { Client, Connection, isGrpcServiceError } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { InputError, UnreachableError } from "../domain/failures.js";
import type { TemporalAddress } from "./connection-settings.js";
import type { EncryptionKeys } from "./encryption/keys.js";
import { dataConverter } from "./encryption/payload-codec.js";

export interface TemporalClient {
  readonly client: Client;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 7_000;
const [NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED] = [5, 7, 16];

/**
 * Connects a client to a namespace within about seven seconds.
 * @throws UnreachableError when the server does not answer or refuses the credentials; InputError without the namespace
 */
export async function connectClient(
  server: TemporalAddress,
  keys: EncryptionKeys,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<TemporalClient> {
  const { namespace } = server;
  const deadline = Date.now() + timeoutMs;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...optionsOf(server), connectTimeout: timeoutMs });
    const { workflowService } = connection;
    await connection.withDeadline(deadline, () => workflowService.describeNamespace({ namespace }));
  } catch (error) {
    await connection?.close();
    throw connectionError(server, error);
  }
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys, namespace) });
  return { client, close: () => client.connection.close() };
}

/**
 * Connects a worker; close it after the worker's `run()`.
 * @throws UnreachableError when the server does not answer within about seven seconds
 */
export async function connectWorker(
  server: TemporalAddress,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<NativeConnection> {
  // On one machine compression only costs CPU.
  const compression = isLoopback(server.address) ? { grpcCompression: { codec: "none" as const } } : {};
  const connecting = NativeConnection.connect({ ...optionsOf(server), ...compression });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([connecting, timeout]);
  } catch (error) {
    // A late connection is closed all the same.
    connecting.then((late) => late.close()).catch(() => undefined);
    throw connectionError(server, error);
  } finally {
    clearTimeout(timer);
  }
}

export function isLoopback(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)(:\d+)?$/.test(address);
}

function optionsOf({ address, apiKey, tls, metadata }: TemporalAddress) {
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

// Without the cause's text, which may quote headers with the key.
function connectionError({ address, namespace }: TemporalAddress, cause: unknown): Error {
  const code = isGrpcServiceError(cause) ? cause.code : undefined;
  if (code === NOT_FOUND) {
    return new InputError(
      `TEMPORAL_NAMESPACE: the Temporal server at ${address} has no namespace "${namespace}". ` +
        "Nothing was started. Name an existing one, or create it.",
      { cause },
    );
  }
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return new UnreachableError(
      `The Temporal server at ${address} refused the credentials for namespace "${namespace}". ` +
        "Nothing was started. Check TEMPORAL_API_KEY or the TEMPORAL_TLS_* certificate.",
      { cause },
    );
  }
  return new UnreachableError(
    `The Temporal server at ${address} can't be reached. Nothing was started. ` +
      "Check TEMPORAL_ADDRESS, TEMPORAL_TLS and that the server runs.",
    { cause },
  );
}
