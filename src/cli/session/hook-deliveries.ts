import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { DAY, MINUTE } from "../../domain/duration.js";
import { HOOK_WORKFLOW } from "../../domain/hook-settings.js";
import { describeRunning, failureReason, pendingFailuresOf } from "../../temporal/running-workflows.js";

export interface LateDelivery {
  /** The run; for a late schedule `<schedule>@<its last run>`. */
  readonly about: string;
  readonly event: string;
  /** ISO instant since when it is to be made. */
  readonly since: string;
  /** Why not; null while nothing has failed. */
  readonly reason: string | null;
  /** Whether it is not tried any more. */
  readonly given_up: boolean;
}

/** How long a delivery may wait for a worker before it is late. */
const WORKER_WITHIN_MS = 5 * MINUTE;
/** How long a command waits for a hook that does not take a message. */
const PATIENCE_MS = 15_000;
const POLL_MS = 500;

async function openDeliveries(client: Client, taskQueue: string): Promise<LateDelivery[]> {
  const open: LateDelivery[] = [];
  for (const { id, since } of await listed(client, taskQueue, "ExecutionStatus = 'Running'")) {
    const described = await describeRunning(client, id);
    if (described === undefined) continue;
    const [failure] = (await pendingFailuresOf(client, described)).map(failureReason);
    const isWorkedOn = (described.raw.pendingActivities ?? []).some(({ lastStartedTime }) => lastStartedTime);
    const isWaiting = !isWorkedOn && Date.now() - since.getTime() > WORKER_WITHIN_MS;
    const reason = failure ?? (isWaiting ? "no worker has taken it up" : null);
    open.push({ ...named(id), since: since.toISOString(), reason, given_up: false });
  }
  return open;
}

/** Also those that were given up within a day. */
export async function lateDeliveries(client: Client, taskQueue: string): Promise<LateDelivery[]> {
  const late = (await openDeliveries(client, taskQueue)).filter(({ reason }) => reason !== null);
  const yesterday = new Date(Date.now() - DAY).toISOString();
  const failed = `ExecutionStatus = 'Failed' AND CloseTime > '${yesterday}'`;
  for (const { id, since } of await listed(client, taskQueue, failed)) {
    const reason = await client.workflow
      .getHandle(id)
      .result()
      .then(
        () => null,
        ({ cause }: Error) =>
          cause instanceof Error ? ((cause.cause as Error | undefined) ?? cause).message : null,
      );
    late.push({ ...named(id), since: since.toISOString(), reason, given_up: true });
  }
  return late;
}

/**
 * Waits until deliveries are made, because an embedded worker ends with its command; first attempts take as long as they
 * take. Returns what was not delivered.
 */
export async function deliveriesMade(
  client: Client,
  taskQueue: string,
  signal: AbortSignal,
): Promise<readonly LateDelivery[]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = await openDeliveries(client, taskQueue);
    const isInVain = Date.now() > until && open.every(({ reason }) => reason !== null);
    if (open.length === 0 || isInVain || signal.aborted) return open;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function listed(client: Client, taskQueue: string, which: string) {
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType = '${HOOK_WORKFLOW}' AND ${which}`;
  const found: { readonly id: string; readonly since: Date }[] = [];
  for await (const { workflowId: id, startTime: since } of client.workflow.list({ query }))
    found.push({ id, since });
  return found;
}

function named(workflowId: string): Pick<LateDelivery, "about" | "event"> {
  const [, , about = "", event = ""] = workflowId.split("/");
  return { about, event };
}
