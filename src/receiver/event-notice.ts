import type { Client } from "@temporalio/client";
import {
  EVENTS_SIGNAL,
  EVENTS_WORKFLOW,
  type EventReceipt,
  eventsWorkflowId,
} from "../domain/webhooks/messages.js";
import { signalOrStart } from "../temporal/running-workflows.js";
import { Bundles } from "./bundles.js";
import { inTime } from "./in-time.js";

/** Receipts that nobody waits for. */
const MOST_COLLECTED = 1_000;
/** Each signal costs a workflow task and some writes, so receipts that nobody waits for are collected. */
const COLLECT_MS = 500;
const AGAIN_AFTER_MS = 10_000;

/**
 * Tells the workflow that writes webhooks into their table what is staged. A flood makes longer signals, not
 * more.
 */
export class EventNotice {
  readonly #bundles: Bundles<EventReceipt>;
  readonly #soon: EventReceipt[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param complain Gets the error when collected receipts could not be sent; they are sent again later. */
  constructor(
    client: Client,
    scope: string,
    taskQueue: string,
    private readonly complain: (error: unknown) => void,
  ) {
    const start = { workflowId: eventsWorkflowId(scope), taskQueue, args: [{ scope }] };
    this.#bundles = new Bundles((receipts) =>
      inTime(client, () => signalOrStart(client, EVENTS_WORKFLOW, start, EVENTS_SIGNAL, receipts)),
    );
  }

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

  /** Resolves once Temporal has them; starts the workflow where it does not run. */
  tell(...receipts: readonly EventReceipt[]): Promise<void> {
    return this.#bundles.add(...receipts);
  }
}
