import type { Client } from "@temporalio/client";
import type { CustomerNews } from "../domain/onboarding/follow/shard.js";
import type { CustomerEvent } from "../domain/onboarding/messages.js";
import {
  EVENTS_SIGNAL,
  EVENTS_WORKFLOW,
  type EventReceipt,
  eventsWorkflowId,
} from "../domain/webhooks/messages.js";
import { type NamedCustomer, OpenCustomers } from "../lake/onboarding/open-customers.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import { type FollowPlace, tellFollow } from "../temporal/onboarding/open-rows.js";
import { signalOrStart } from "../temporal/running-workflows.js";

const ANSWER_WITHIN_MS = 5_000;

export function inTime<R>(client: Client, work: () => Promise<R>, ms: number = ANSWER_WITHIN_MS): Promise<R> {
  return client.withDeadline(Date.now() + ms, work);
}

/** Sends one bundle at a time, each with all that came meanwhile. */
export class Bundles<T> {
  readonly #waiting: T[] = [];
  /** The bundle of what waits, and the end of the one before it. */
  #next: Promise<void> | undefined;
  #sent: Promise<void> = Promise.resolve();

  constructor(private readonly send: (bundle: readonly T[]) => Promise<void>) {}

  /** Resolves once they are sent; rejects where their bundle could not be sent. */
  add(...things: readonly T[]): Promise<void> {
    this.#waiting.push(...things);
    this.#next ??= this.#sent.then(() => {
      this.#next = undefined;
      return this.send(this.#waiting.splice(0));
    });
    this.#sent = this.#next.catch(() => undefined);
    return this.#next;
  }
}

// Each signal costs a workflow task and some writes, so receipts that nobody waits for are collected.
const MOST_COLLECTED = 1_000;
const COLLECT_MS = 500;
const AGAIN_AFTER_MS = 10_000;

/** Tells the workflow that writes webhooks into their table what is staged: of a flood in longer signals, not more. */
export class EventNotice {
  readonly #bundles: Bundles<EventReceipt>;
  readonly #soon: EventReceipt[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param complain where collected receipts could not be sent; they are sent again later */
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

  /** Collects a receipt that nobody waits for, or drops it where too many wait: the event is staged anyway. */
  tellSoon(receipt: EventReceipt): void {
    if (this.#soon.length >= MOST_COLLECTED) return;
    this.#soon.push(receipt);
    this.#collect(COLLECT_MS);
  }

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

  /** Resolves once Temporal has them. */
  tell(...receipts: readonly EventReceipt[]): Promise<void> {
    return this.#bundles.add(...receipts);
  }
}

/** Gives the open rows of customers their news. */
export class CustomerNotice {
  readonly #open: OpenCustomers;
  readonly #bundles: Bundles<CustomerNews>;

  constructor(client: Client, sealed: SealedStore, place: FollowPlace) {
    this.#open = new OpenCustomers(sealed);
    this.#bundles = new Bundles((news) => inTime(client, () => tellFollow(client, place, "news", news)));
  }

  /** Resolves once Temporal has the news: whether a row waits for them. */
  async tell(customer: NamedCustomer, event: CustomerEvent): Promise<boolean> {
    const keys = await this.#open.keysOf(customer);
    if (keys.length > 0) await this.#bundles.add(...keys.map((key) => ({ key, event })));
    return keys.length > 0;
  }
}
