import type { Client } from "@temporalio/client";
import {
  EVENTS_SIGNAL,
  EVENTS_WORKFLOW,
  type EventReceipt,
  eventsWorkflowId,
} from "../domain/webhooks/messages.js";
import { signalOrStart } from "../temporal/running-workflows.js";
import { inTime } from "./customer-signals.js";

/** Senders that share one signal; each brings up to {@link MOST_COLLECTED} receipts. */
const MOST_WAITING = 200;
const MOST_COLLECTED = 1_000;
/** Each signal costs a workflow task and some writes, so receipts that nobody waits for are collected. */
const COLLECT_MS = 500;
const AGAIN_AFTER_MS = 10_000;

interface Waiting {
  readonly receipts: readonly EventReceipt[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Tells the workflow that writes webhooks into their table what is staged. One signal is sent at a time and carries
 * all receipts that came meanwhile: a flood makes longer signals, not more.
 */
export class EventNotice {
  readonly #waiting: Waiting[] = [];
  #sending = false;
  readonly #soon: EventReceipt[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param complain Gets the error when collected receipts could not be sent; they are sent again later. */
  constructor(
    private readonly client: Client,
    private readonly scope: string,
    private readonly taskQueue: string,
    private readonly complain: (error: unknown) => void,
  ) {}

  /** Collects a receipt that nobody waits for. When too many wait, the rest is dropped: the events are staged anyway. */
  tellSoon(receipt: EventReceipt): void {
    if (this.#soon.length >= MOST_COLLECTED) return;
    this.#soon.push(receipt);
    this.#collect(COLLECT_MS);
  }

  /** Sends what is still collected, if possible. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#soon.length > 0) await this.#tellCollected();
  }

  #collect(within: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tellCollected();
    }, within);
  }

  async #tellCollected(): Promise<void> {
    const receipts = this.#soon.splice(0);
    try {
      await this.tell(...receipts);
    } catch (error) {
      this.complain(error);
      this.#soon.push(...receipts);
      this.#collect(AGAIN_AFTER_MS);
    }
  }

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
      const some = this.#waiting.splice(0, MOST_WAITING);
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
      signalOrStart(
        client,
        EVENTS_WORKFLOW,
        { workflowId: eventsWorkflowId(scope), taskQueue, args: [{ scope }] },
        EVENTS_SIGNAL,
        receipts,
      ),
    );
  }
}
