import type { Client } from "@temporalio/client";
import { scopeOfQueue, TASK_TIMEOUT } from "../../domain/run.js";
import { describeRunning } from "../running-workflows.js";
import { lookEvery } from "./look-every.js";

/** How often a worker that makes calls looks; the others of its fleet know of a pause about as soon. */
const LOOK_EVERY_MS = 1_000;
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
 * long (docs/run/configuration.md, "Rate and pauses").
 */
export class FleetPause {
  readonly #workflowId: string;
  /** The latest end that this worker has read or written. */
  #known = 0;
  #sent = 0;

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly caller: PausedCaller,
  ) {
    this.#workflowId = `pause-${scopeOfQueue(taskQueue)}`;
  }

  /** Looks until the function that it gives is called. */
  watch(): () => void {
    // Where Temporal does not answer, each worker finds the pause out by itself.
    return lookEvery(LOOK_EVERY_MS, () => this.#look());
  }

  async #look(): Promise<void> {
    const { requestsSent, pausedUntil = 0 } = this.caller;
    const isIdle = requestsSent === this.#sent;
    this.#sent = requestsSent;
    const isNews = pausedUntil > Math.max(this.#known, Date.now() + SHORTEST_MS);
    if (isIdle && !isNews) return;
    const running = await describeRunning(this.client, this.#workflowId);
    const until = Number(running?.memo?.until ?? 0);
    this.#known = until;
    if (until > Date.now()) this.caller.pauseUntil(until);
    if (isNews && pausedUntil > until) await this.#tell(pausedUntil);
    this.#known = Math.max(until, pausedUntil);
  }

  async #tell(until: number): Promise<void> {
    await this.client.workflow.start("servicePause", {
      workflowId: this.#workflowId,
      workflowIdConflictPolicy: "TERMINATE_EXISTING",
      taskQueue: this.taskQueue,
      workflowTaskTimeout: TASK_TIMEOUT,
      args: [until],
      memo: { until },
    });
  }
}
