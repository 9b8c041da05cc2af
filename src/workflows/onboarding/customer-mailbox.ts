import { setHandler } from "@temporalio/workflow";
import type { CustomerEvent, SessionValidated, WatchRequest } from "../../domain/onboarding/messages.js";
import { customerEvent, sessionValidated, stopCustomer, watchCustomer } from "./messages.js";

/** Webhooks remembered by their id, so that one that comes twice is taken once. */
const MOST_REMEMBERED = 500;

/** What is told to a customer's workflow, kept until it has time for it: also what comes before its own answer. */
export class CustomerMailbox {
  #events: CustomerEvent[] = [];
  #sessions: SessionValidated[] = [];
  #watchers: WatchRequest[] = [];
  readonly #seen = new Set<string>();
  #stopped = false;

  /** Begins to listen; to be called before anything is waited for. */
  constructor(batchId: string) {
    setHandler(customerEvent, (event) => {
      if (this.#seen.has(event.messageId)) return;
      if (this.#seen.size < MOST_REMEMBERED) this.#seen.add(event.messageId);
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
}
