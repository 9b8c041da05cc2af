import type { CustomerEvent, SessionValidated, WaitRequest } from "../messages.js";

/** Webhooks remembered by their id, so that a duplicate is dropped; duplicates come soon after the first. */
const MOST_REMEMBERED = 500;

/** Messages that a customer's workflow has not read, also those that came before its own answer. */
export interface CarriedMail {
  readonly events: readonly CustomerEvent[];
  readonly sessions: readonly SessionValidated[];
  readonly waiters: readonly WaitRequest[];
  readonly seen: readonly string[];
  readonly stopped: boolean;
}

export const NO_MAIL: CarriedMail = { events: [], sessions: [], waiters: [], seen: [], stopped: false };

/** Adds a webhook, unless it is a duplicate. */
export function withEvent(mail: CarriedMail, event: CustomerEvent): CarriedMail {
  if (mail.seen.includes(event.messageId)) return mail;
  const seen = [...mail.seen, event.messageId].slice(-MOST_REMEMBERED);
  return { ...mail, events: [...mail.events, event], seen };
}

/** Whether a message about the onboarding is unread. */
export function hasNews({ events, sessions }: CarriedMail): boolean {
  return events.length + sessions.length > 0;
}
