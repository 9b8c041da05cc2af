import type { Client } from "@temporalio/client";
import { scopeOfQueue, TASK_TIMEOUT } from "../../domain/run.js";
import type { Standing } from "../../domain/service/pace/call-pace.js";
import { describeRunning } from "../running-workflows.js";

const LOOK_EVERY_MS = 10_000;
/** By then the others have looked at least once. */
const NOTICED_AFTER_MS = LOOK_EVERY_MS + 2_000;

/** A worker among others that share one budget (docs/run/configuration.md, "Rate and pauses"). */
export class Fleet {
  #noticedAt = 0;
  #stop = (): void => undefined;

  /**
   * @param names the workers that poll the task queue
   * @param own this worker's name
   * @param tell is told how it stands, whenever it was looked
   */
  constructor(
    private readonly names: () => Promise<readonly string[]>,
    private readonly own: string,
    private readonly tell: (standing: Standing) => void,
  ) {}

  /** Looks before this worker polls, and then every ten seconds. */
  async join(): Promise<void> {
    const others = await this.#others();
    // Others may have begun at the same moment.
    this.#noticedAt = Date.now() + NOTICED_AFTER_MS;
    this.#tell(others);
    // Where Temporal does not answer, the last share stays.
    this.#stop = lookEvery(LOOK_EVERY_MS, async () => this.#tell(await this.#others()));
  }

  leave(): void {
    this.#stop();
  }

  async #others(): Promise<number> {
    return (await this.names()).filter((name) => name !== this.own).length;
  }

  #tell(others: number): void {
    this.tell({ workers: others + 1, isNew: Date.now() < this.#noticedAt });
  }
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
    return lookEvery(LOOK_FOR_PAUSE_EVERY_MS, () => this.#look());
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
