import type { Client } from "@temporalio/client";
import { followWorkflowId } from "../../domain/onboarding/identity.js";
import { FOLLOW_SIGNALS, type FollowProgress } from "../../domain/onboarding/messages.js";
import type { Metrics } from "../metrics.js";
import { describeRunning, progressOf, signalOrStart } from "../running-workflows.js";

const LOOK_EVERY_MS = 30_000;

export interface FollowPlace {
  readonly scope: string;
  readonly taskQueue: string;
}

/** Sends a message to the workflow of a lake's open rows; starts it where it does not run. */
export function tellFollow(
  client: Client,
  { scope, taskQueue }: FollowPlace,
  signal: keyof typeof FOLLOW_SIGNALS,
  message: unknown,
): Promise<void> {
  const start = { workflowId: followWorkflowId(scope), taskQueue, args: [{}] };
  return signalOrStart(client, "follow", start, FOLLOW_SIGNALS[signal], message);
}

/** Undefined where no worker answers, or no row is open. */
export function openRows(client: Client, scope: string): Promise<FollowProgress | undefined> {
  return progressOf<FollowProgress>(client, client.workflow.getHandle(followWorkflowId(scope)));
}

/** Counts the open rows, until the function that it gives is called. */
export function watchOpenRows(client: Client, scope: string, metrics: Metrics): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    const isRunning = (await describeRunning(client, followWorkflowId(scope))) !== undefined;
    const rows = isRunning ? (await openRows(client, scope))?.rows : 0;
    if (rows !== undefined) metrics.openRows(rows);
  };
  const watch = async () => {
    await look().catch(() => undefined);
    if (!isOver) timer = setTimeout(watch, LOOK_EVERY_MS).unref();
  };
  void watch();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
