import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { rootCause } from "@temporalio/common";
import { DAY, MINUTE } from "../../domain/duration.js";
import { HOOK_WORKFLOW } from "../../domain/hook-settings.js";
import { describeWorkflow, failureReason, pendingFailuresOf } from "../../temporal/running-workflows.js";

export interface PendingDelivery {
  /** The run, or `<schedule>@<its last run>`. */
  readonly about: string;
  readonly event: string;
  readonly since: string;
  /** Null while nothing has failed. */
  readonly reason: string | null;
  readonly given_up: boolean;
}

/** A delivery that waits longer for a worker is late. */
const WORKER_WITHIN_MS = 5 * MINUTE;
const PATIENCE_MS = 15_000;
const POLL_MS = 500;

/** Deliveries that are not made yet, or were given up within a day. */
export async function pendingDeliveries(client: Client, taskQueue: string): Promise<PendingDelivery[]> {
  const yesterday = new Date(Date.now() - DAY).toISOString();
  const open = `(ExecutionStatus = 'Running' OR (ExecutionStatus = 'Failed' AND CloseTime > '${yesterday}'))`;
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType = '${HOOK_WORKFLOW}' AND ${open}`;
  const pending: PendingDelivery[] = [];
  for await (const { workflowId, startTime } of client.workflow.list({ query })) {
    const described = await describeWorkflow(client, workflowId);
    const status = described?.status.name;
    if (described === undefined || status === "COMPLETED") continue;
    const given_up = status === "FAILED";
    const isWorkedOn = described.raw.pendingActivities?.some(({ lastStartedTime }) => lastStartedTime);
    const isWaiting = !isWorkedOn && Date.now() - startTime.getTime() > WORKER_WITHIN_MS;
    const [failure] = given_up ? [] : await pendingFailuresOf(client, described);
    const ended = () => client.workflow.getHandle(workflowId).result();
    const reason = given_up
      ? await ended().catch(({ cause }: Error) => rootCause(cause))
      : failure && failureReason(failure);
    const [, , about = "", event = ""] = workflowId.split("/");
    const late = isWaiting && !given_up ? "no worker has taken it up" : null;
    pending.push({ about, event, since: startTime.toISOString(), reason: reason ?? late, given_up });
  }
  return pending;
}

/**
 * Waits until deliveries are made, because an embedded worker ends with its command, and for every first attempt. Returns
 * what was not delivered.
 */
export async function deliveriesMade(
  client: Client,
  taskQueue: string,
  signal: AbortSignal,
): Promise<readonly PendingDelivery[]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = (await pendingDeliveries(client, taskQueue)).filter(({ given_up }) => !given_up);
    const isInVain = Date.now() > until && open.every(({ reason }) => reason !== null);
    if (open.length === 0 || isInVain || signal.aborted) return open;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
