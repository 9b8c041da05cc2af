import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import type { Client, Connection } from "@temporalio/client";
import type { EncryptionKey, EncryptionKeys } from "./encryption/keys.js";

/** Task queues keep a worker's name for minutes after it has gone; one that lives asks at least once a minute. */
const GONE_AFTER_MS = 90_000;
const ACTIVITY_TASKS = 2;
const FORM = /^(\d+@\S+) since (\S+Z) key ([A-Za-z0-9._-]{1,32}):([0-9a-f]{12})$/;

export interface WorkerIdentity {
  readonly process: string;
  readonly startedAt: string;
  /** Encryption key that the fingerprint is made with. */
  readonly keyId: string;
  /** Of its service key: tells two keys apart and reveals nothing to guess by. */
  readonly fingerprint: string;
}

/** The name of this process as a worker, `1234@host since <instant> key <id>:<fingerprint>`. */
export function workerIdentity({ current }: EncryptionKeys, apiKey: string): string {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  return `${process.pid}@${hostname()} since ${startedAt} key ${current.id}:${fingerprintOf(current, apiKey)}`;
}

/** Reads a worker's name; undefined for one of another version, or of another program. */
export function parseWorkerIdentity(text: string): WorkerIdentity | undefined {
  const [, process, startedAt, keyId, fingerprint] = FORM.exec(text) ?? [];
  if (process === undefined || startedAt === undefined) return undefined;
  return { process, startedAt, keyId: keyId ?? "", fingerprint: fingerprint ?? "" };
}

/** Whether a worker works with another key of the service; false where it can't be told. */
export function hasOtherKey(
  { keyId, fingerprint }: WorkerIdentity,
  keys: EncryptionKeys,
  apiKey: string,
): boolean {
  const key = keys.byId.get(keyId);
  return key !== undefined && fingerprintOf(key, apiKey) !== fingerprint;
}

/** `the worker 1234@host (started 2026-11-22 02:11 UTC)` */
export function workerWords({ process, startedAt }: WorkerIdentity): string {
  return `the worker ${process} (started ${startedAt.slice(0, 16).replace("T", " ")} UTC)`;
}

/** The names of the workers that poll a task queue. @param connection of a client or a worker */
export async function workerNames(
  { workflowService }: Pick<Connection, "workflowService">,
  namespace: string,
  taskQueue: string,
): Promise<string[]> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: ACTIVITY_TASKS,
  });
  const alive = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > Date.now() - GONE_AFTER_MS,
  );
  return [...new Set(alive.map(({ identity }) => identity ?? ""))];
}

export async function workersOf(client: Client, taskQueue: string): Promise<WorkerIdentity[]> {
  const names = await workerNames(client.connection, client.options.namespace, taskQueue);
  return names.flatMap((name) => parseWorkerIdentity(name) ?? []);
}

// Under a secret of the deployment, so that nobody who reads it in Temporal can try keys against it.
function fingerprintOf({ secret }: EncryptionKey, apiKey: string): string {
  return createHmac("sha256", secret).update(`key of the service\n${apiKey}`).digest("hex").slice(0, 12);
}
