import type { CustomerEvent } from "../messages.js";

/** Webhooks remembered by their id, so that a duplicate is dropped; duplicates come soon after the first. */
const MOST_REMEMBERED = 500;

/** News of an open row that no step has read, also what came before its own answer. */
export interface Mail {
  readonly events: readonly CustomerEvent[];
  readonly seen: readonly string[];
}

export const NO_MAIL: Mail = { events: [], seen: [] };

/** Adds news, unless it is a webhook's duplicate. */
export function withEvent(mail: Mail, event: CustomerEvent): Mail {
  const events = [...mail.events, event];
  const { messageId } = event;
  if (messageId === null) return { ...mail, events };
  if (mail.seen.includes(messageId)) return mail;
  return { ...mail, events, seen: [...mail.seen, messageId].slice(-MOST_REMEMBERED) };
}

/** The mail after a step that left some of it, with what came after the first `read` events. */
export function mailAfter(left: Mail, now: Mail, read: number): Mail {
  return { events: [...left.events, ...now.events.slice(read)], seen: now.seen };
}
