import type { CustomerInput } from "../batch/batch-rows.js";
import type { CustomerEvent } from "../messages.js";

/** Webhooks remembered by their id, so that a duplicate is dropped; duplicates come soon after the first. */
const MOST_REMEMBERED = 500;

/** Messages to an open row that no step has read, also those that came before its own answer. */
export interface Mail {
  readonly events: readonly CustomerEvent[];
  readonly waiters: readonly CustomerInput[];
  /** Batches that were cancelled. */
  readonly stops: readonly string[];
  readonly seen: readonly string[];
}

/** How many messages of each kind a step was given: what came after them is still unread. */
export type MailCount = Readonly<Record<"events" | "waiters" | "stops", number>>;

export const NO_MAIL: Mail = { events: [], waiters: [], stops: [], seen: [] };

/** Adds news, unless it is a webhook's duplicate. */
export function withEvent(mail: Mail, event: CustomerEvent): Mail {
  const events = [...mail.events, event];
  const { messageId } = event;
  if (messageId === null) return { ...mail, events };
  if (mail.seen.includes(messageId)) return mail;
  return { ...mail, events, seen: [...mail.seen, messageId].slice(-MOST_REMEMBERED) };
}

/** Adds a row that waits, unless it waits already. */
export function withWaiter(mail: Mail, waiter: CustomerInput): Mail {
  const isSame = (one: CustomerInput) =>
    one.batchWorkflowId === waiter.batchWorkflowId && one.runId === waiter.runId && one.row === waiter.row;
  return mail.waiters.some(isSame) ? mail : { ...mail, waiters: [...mail.waiters, waiter] };
}

export function countMail({ events, waiters, stops }: Mail): MailCount {
  return { events: events.length, waiters: waiters.length, stops: stops.length };
}

/** The mail after a step that left some of it, with what came since it was `given` so many messages. */
export function mailAfter(left: Mail, now: Mail, given: MailCount): Mail {
  return {
    events: [...left.events, ...now.events.slice(given.events)],
    waiters: [...left.waiters, ...now.waiters.slice(given.waiters)],
    stops: [...left.stops, ...now.stops.slice(given.stops)],
    seen: now.seen,
  };
}
