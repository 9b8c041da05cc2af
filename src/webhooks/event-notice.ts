import type { Client } from "@temporalio/client";
import {
  EVENTS_SIGNAL,
  EVENTS_WORKFLOW,
  type EventReceipt,
  eventsWorkflowId,
} from "../domain/webhooks/messages.js";
import { inTime } from "./customer-signals.js";

const MOST_RECEIPTS = 200;

interface Waiting {
  readonly receipts: readonly EventReceipt[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Tells the workflow that writes webhooks into their table what is staged. One signal is on its way at a time and
 * carries all that came while the one before it was: a flood makes longer signals, not more.
 */
export class EventNotice {
  readonly #waiting: Waiting[] = [];
  #sending = false;

  constructor(
    private readonly client: Client,
    private readonly scope: string,
    private readonly taskQueue: string,
  ) {}

  /** Resolves once Temporal has it; starts the workflow where it does not run. */
  tell(...receipts: readonly EventReceipt[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ receipts, resolve, reject });
      if (!this.#sending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, MOST_RECEIPTS);
      try {
        await this.#signal(some.flatMap(({ receipts }) => receipts));
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#sending = false;
  }

  async #signal(receipts: readonly EventReceipt[]): Promise<void> {
    const { client, scope, taskQueue } = this;
    await inTime(client, () =>
      client.workflow.signalWithStart(EVENTS_WORKFLOW, {
        workflowId: eventsWorkflowId(scope),
        taskQueue,
        args: [{ scope }],
        signal: EVENTS_SIGNAL,
        signalArgs: [receipts],
        workflowTaskTimeout: "5s",
      }),
    );
  }
}
