import { setHandler } from "@temporalio/workflow";
import type { CarriedMail } from "../../domain/onboarding/customer-step.js";
import type { CustomerEvent, SessionValidated, WatchRequest } from "../../domain/onboarding/messages.js";
import type { CustomerWatchers } from "./customer-watchers.js";
import { customerEvent, sessionValidated, stopCustomer, watchCustomer } from "./messages.js";

/** Webhooks remembered by their id, so that one that comes twice is taken once. */
const MOST_REMEMBERED = 500;

/** What is told to a customer's workflow, kept until it has time for it: also what comes before its own answer. */
export class CustomerMailbox {
  readonly #events: CustomerEvent[];
  readonly #sessions: SessionValidated[];
  readonly #watchers: WatchRequest[];
  readonly #seen: Set<string>;
  #stopped: boolean;

  /** Begins to listen; to be called before anything is waited for. */
  constructor(batchId: string, watchers: CustomerWatchers, carried?: CarriedMail) {
    this.#events = [...(carried?.events ?? [])];
    this.#sessions = [...(carried?.sessions ?? [])];
    this.#watchers = [...(carried?.watchers ?? [])];
    this.#seen = new Set(carried?.seen);
    this.#stopped = carried?.stopped ?? false;
    setHandler(customerEvent, (event) => {
      if (this.#seen.has(event.messageId)) return;
      this.#remember(event.messageId);
      this.#events.push(event);
    });
    setHandler(sessionValidated, (session) => {
      this.#sessions.push(session);
    });
    setHandler(watchCustomer, (watcher) => {
      this.#watchers.push(watcher);
    });
    setHandler(stopCustomer, (request) => {
      if (request.batchId === batchId) this.#stopped = true;
      else watchers.leave(request.batchId, this.#takeWatchersOf(request.batchId));
    });
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  get hasWatchers(): boolean {
    return this.#watchers.length > 0;
  }

  get hasMail(): boolean {
    return this.#events.length + this.#sessions.length > 0;
  }

  takeEvents(): CustomerEvent[] {
    return this.#events.splice(0);
  }

  takeSessions(): SessionValidated[] {
    return this.#sessions.splice(0);
  }

  takeWatchers(): WatchRequest[] {
    return this.#watchers.splice(0);
  }

  carry(): CarriedMail {
    return {
      events: this.#events,
      sessions: this.#sessions,
      watchers: this.#watchers,
      seen: [...this.#seen],
      stopped: this.#stopped,
    };
  }

  #takeWatchersOf(batchId: string): WatchRequest[] {
    const watchers = this.takeWatchers();
    this.#watchers.push(...watchers.filter((watcher) => watcher.batchId !== batchId));
    return watchers.filter((watcher) => watcher.batchId === batchId);
  }

  // The oldest is forgotten: what comes twice comes soon after.
  #remember(messageId: string): void {
    this.#seen.add(messageId);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}
