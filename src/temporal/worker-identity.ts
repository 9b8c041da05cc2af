import { hostname } from "node:os";
import type { Client, Connection } from "@temporalio/client";

/** Task queues keep a worker's name for minutes after it has gone; one that lives asks at least once a minute. */
const GONE_AFTER_MS = 90_000;
const ACTIVITY_TASKS = 2;
const FORM = /^(\d+@\S+) since (\S+Z)$/;

interface WorkerIdentity {
  readonly process: string;
  readonly startedAt: string;
}

/** The name of this process as a worker, `1234@host since <instant>`. */
export function workerIdentity(): string {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  return `${process.pid}@${hostname()} since ${startedAt}`;
}

/** Reads a worker's name; undefined for one of another program. */
export function parseWorkerIdentity(text: string): WorkerIdentity | undefined {
  const [, process, startedAt] = FORM.exec(text) ?? [];
  return process === undefined || startedAt === undefined ? undefined : { process, startedAt };
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
