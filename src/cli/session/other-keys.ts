import type { Client } from "@temporalio/client";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { hasOtherKey, type WorkerIdentity, workersOf, workerWords } from "../../temporal/worker-identity.js";

const ASK_MS = 2_000;

/** Where to find workers, and what to compare them with. */
interface OwnKey {
  readonly client: Client;
  readonly taskQueue: string;
  readonly keys: EncryptionKeys;
  /** Key of the service that this command has. */
  readonly apiKey: string;
}

/** Finds the workers of a task queue, and those among them with another key of the service than this command's. */
export async function comparedWorkers({ client, taskQueue, keys, apiKey }: OwnKey) {
  const workers = await client.connection.withDeadline(Date.now() + ASK_MS, () =>
    workersOf(client, taskQueue),
  );
  return { workers, others: workers.filter((worker) => hasOtherKey(worker, keys, apiKey)) };
}

/** Says why the service refused the credentials midway although it accepted this command's key at the start. */
export function refusedWords(others: readonly WorkerIdentity[]): string[] {
  if (others.length === 0) return ["the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY"];
  return others.map(
    (worker) =>
      `the service refused the key of ${workerWords(worker)}, which differs from this command's; restart that worker with the right NIGHTLEDGER_API_KEY`,
  );
}
