import type { Client } from "@temporalio/client";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { hasOtherKey, type WorkerIdentity, workersOf, workerWords } from "../../temporal/worker-identity.js";
import type { Preflight } from "./preflight.js";

const ASK_MS = 2_000;

/** The workers of a task queue, and those among them that have another key of the service than this command. */
export async function comparedWorkers(
  client: Client,
  { taskQueue, config }: Preflight,
  keys: EncryptionKeys,
) {
  const workers = await client.connection.withDeadline(Date.now() + ASK_MS, () =>
    workersOf(client, taskQueue),
  );
  return { workers, others: workers.filter((worker) => hasOtherKey(worker, keys, config.api.key)) };
}

/** Says why the service refused the credentials midway although it accepted this command's key at the start. */
export function refusedWords(others: readonly WorkerIdentity[]): string[] {
  if (others.length === 0) return ["the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY"];
  return others.map(
    (worker) =>
      `the service refused the key of ${workerWords(worker)}, which differs from this command's; restart that worker with the right NIGHTLEDGER_API_KEY`,
  );
}
