import { setHandler } from "@temporalio/workflow";
import type { CarriedMail } from "../../domain/onboarding/customer/customer-step.js";
import type { CustomerEvent, SessionValidated, WaitRequest } from "../../domain/onboarding/messages.js";
import type { CustomerWaiters } from "./customer-waiters.js";
import { customerEvent, sessionValidated, stopCustomer, watchCustomer } from "./messages.js";

/** Webhooks remembered by their id, so that one that comes twice is taken once. */
const MOST_REMEMBERED = 500;

const EMPTY: CarriedMail = { events: [], sessions: [], waiters: [], seen: [], stopped: false };

/** What is told to a customer's workflow, kept until it has time for it: also what comes before its own answer. */
export class CustomerMailbox {
  #mail: CarriedMail;

  /** Begins to listen; to be called before anything is waited for. */
  constructor(batchId: string, waiters: CustomerWaiters, carried: CarriedMail = EMPTY) {
    this.#mail = carried;
    setHandler(customerEvent, (event) => {
      const { events, seen } = this.#mail;
      if (seen.includes(event.messageId)) return;
      // The oldest is forgotten: what comes twice comes soon after.
      const remembered = [...seen, event.messageId].slice(-MOST_REMEMBERED);
      this.#set({ events: [...events, event], seen: remembered });
    });
    setHandler(sessionValidated, (session) => this.#set({ sessions: [...this.#mail.sessions, session] }));
    setHandler(watchCustomer, (waiter) => this.#set({ waiters: [...this.#mail.waiters, waiter] }));
    setHandler(stopCustomer, ({ batchId: theirs }) => {
      if (theirs === batchId) this.#set({ stopped: true });
      else waiters.leave(theirs, this.#takeWaitersOf(theirs));
    });
  }

  get stopped(): boolean {
    return this.#mail.stopped;
  }

  get hasWaiters(): boolean {
    return this.#mail.waiters.length > 0;
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

  takeWaiters(): readonly WaitRequest[] {
    const { waiters } = this.#mail;
    this.#set({ waiters: [] });
    return waiters;
  }

  carry(): CarriedMail {
    return this.#mail;
  }

  #takeWaitersOf(batchId: string): readonly WaitRequest[] {
    const { waiters } = this.#mail;
    this.#set({ waiters: waiters.filter((waiter) => waiter.batchId !== batchId) });
    return waiters.filter((waiter) => waiter.batchId === batchId);
  }

  #set(change: Partial<CarriedMail>): void {
    this.#mail = { ...this.#mail, ...change };
  }
}
