import type { Client } from "@temporalio/client";
import { scopeOfQueue, TASK_TIMEOUT } from "../../domain/run.js";
import type { Standing } from "../../domain/service/pace/call-pace.js";
import { describeRunning } from "../running-workflows.js";

const LOOK_EVERY_MS = 10_000;
/** By then the others have looked at least once. */
const NOTICED_AFTER_MS = LOOK_EVERY_MS + 2_000;

/**
 * Makes this worker one of those that share one budget (docs/run/configuration.md, "Rate and pauses"): looks before it
 * polls, and then every ten seconds, until the function that it gives is called.
 *
 * @param names the workers that poll the task queue
 * @param own this worker's name
 * @param tell is told how it stands, whenever it was looked
 */
export async function joinFleet(
  names: () => Promise<readonly string[]>,
  own: string,
  tell: (standing: Standing) => void,
): Promise<() => void> {
  const countOthers = async () => (await names()).filter((name) => name !== own).length;
  const first = await countOthers();
  // Others may have begun at the same moment.
  const noticedAt = Date.now() + NOTICED_AFTER_MS;
  const told = (others: number) => tell({ workers: others + 1, isNew: Date.now() < noticedAt });
  told(first);
  // Where Temporal does not answer, the last share stays.
  return lookEvery(LOOK_EVERY_MS, async () => told(await countOthers()));
}

/** Looks again and again, until the function that it gives is called; a look that fails is made again in its turn. */
export function lookEvery(ms: number, look: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const later = () => {
    if (isOver) return;
    timer = setTimeout(async () => {
      await look().catch(() => undefined);
      later();
    }, ms);
    timer.unref();
  };
  later();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** How often a worker that makes calls looks; the others of its fleet know of a pause about as soon. */
const LOOK_FOR_PAUSE_EVERY_MS = 1_000;
/** A shorter one is over before the others could see it. */
const SHORTEST_MS = 1_000;

interface PausedCaller {
  /** Calls sent so far. */
  readonly requestsSent: number;
  /** Epoch milliseconds until which the service asked for a pause; undefined without one. */
  readonly pausedUntil: number | undefined;
  /** Lets no call start before. */
  pauseUntil(until: number): void;
}

/**
 * Carries a pause that the service asked one worker for to the others of its task queue, as a workflow that lives as
 * long (docs/run/configuration.md, "Rate and pauses"). Looks until the function that it gives is called.
 */
export function sharePause(client: Client, taskQueue: string, caller: PausedCaller): () => void {
  const workflowId = `pause-${scopeOfQueue(taskQueue)}`;
  /** The latest end that this worker has read or written. */
  let known = 0;
  let sent = 0;
  // Where Temporal does not answer, each worker finds the pause out by itself.
  return lookEvery(LOOK_FOR_PAUSE_EVERY_MS, async () => {
    const { requestsSent, pausedUntil = 0 } = caller;
    const isIdle = requestsSent === sent;
    sent = requestsSent;
    const isNews = pausedUntil > Math.max(known, Date.now() + SHORTEST_MS);
    if (isIdle && !isNews) return;
    const running = await describeRunning(client, workflowId);
    const until = Number(running?.memo?.until ?? 0);
    known = until;
    if (until > Date.now()) caller.pauseUntil(until);
    if (isNews && pausedUntil > until) {
      await client.workflow.start("servicePause", {
        workflowId,
        workflowIdConflictPolicy: "TERMINATE_EXISTING",
        taskQueue,
        workflowTaskTimeout: TASK_TIMEOUT,
        args: [pausedUntil],
        memo: { until: pausedUntil },
      });
    }
    known = Math.max(until, pausedUntil);
  });
}
