import { setHandler } from "@temporalio/workflow";
import type { CarriedMail } from "../../domain/onboarding/customer/customer-step.js";
import type { CustomerEvent, SessionValidated, WatchRequest } from "../../domain/onboarding/messages.js";
import type { CustomerWatchers } from "./customer-watchers.js";
import { customerEvent, sessionValidated, stopCustomer, watchCustomer } from "./messages.js";

/** Webhooks remembered by their id, so that one that comes twice is taken once. */
const MOST_REMEMBERED = 500;

const EMPTY: CarriedMail = { events: [], sessions: [], watchers: [], seen: [], stopped: false };

/** What is told to a customer's workflow, kept until it has time for it: also what comes before its own answer. */
export class CustomerMailbox {
  #mail: CarriedMail;

  /** Begins to listen; to be called before anything is waited for. */
  constructor(batchId: string, watchers: CustomerWatchers, carried: CarriedMail = EMPTY) {
    this.#mail = carried;
    setHandler(customerEvent, (event) => {
      const { events, seen } = this.#mail;
      if (seen.includes(event.messageId)) return;
      // The oldest is forgotten: what comes twice comes soon after.
      const remembered = [...seen, event.messageId].slice(-MOST_REMEMBERED);
      this.#set({ events: [...events, event], seen: remembered });
    });
    setHandler(sessionValidated, (session) => this.#set({ sessions: [...this.#mail.sessions, session] }));
    setHandler(watchCustomer, (watcher) => this.#set({ watchers: [...this.#mail.watchers, watcher] }));
    setHandler(stopCustomer, ({ batchId: theirs }) => {
      if (theirs === batchId) this.#set({ stopped: true });
      else watchers.leave(theirs, this.#takeWatchersOf(theirs));
    });
  }

  get stopped(): boolean {
    return this.#mail.stopped;
  }

  get hasWatchers(): boolean {
    return this.#mail.watchers.length > 0;
  }

  get hasMail(): boolean {
    return this.#mail.events.length + this.#mail.sessions.length > 0;
  }

  takeEvents(): readonly CustomerEvent[] {
    const { events } = this.#mail;
    this.#set({ events: [] });
    return events;
  }

  takeSessions(): readonly SessionValidated[] {
    const { sessions } = this.#mail;
    this.#set({ sessions: [] });
    return sessions;
  }

  takeWatchers(): readonly WatchRequest[] {
    const { watchers } = this.#mail;
    this.#set({ watchers: [] });
    return watchers;
  }

  carry(): CarriedMail {
    return this.#mail;
  }

  #takeWatchersOf(batchId: string): readonly WatchRequest[] {
    const { watchers } = this.#mail;
    this.#set({ watchers: watchers.filter((watcher) => watcher.batchId !== batchId) });
    return watchers.filter((watcher) => watcher.batchId === batchId);
  }

  #set(change: Partial<CarriedMail>): void {
    this.#mail = { ...this.#mail, ...change };
  }
}
