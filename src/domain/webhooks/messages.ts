import type { CustomerEvent } from "../onboarding/messages.js";
import { BANK_LINK_UPDATED } from "../service/event-kind.js";
import type { EventFacts } from "./event-facts.js";

export interface EventReceipt {
  /** In staging: 32 hex digits of its message id's hash. */
  readonly name: string;
  readonly matched: boolean;
}

export const EVENTS_WORKFLOW = "webhookEvents";
export const EVENTS_SIGNAL = "eventsReceived";
export const FOLLOW_UP_WORKFLOW = "followUpSync";
export const FOLLOW_UP_SIGNAL = "followUpAsked";

/** Writes events into their table. */
export function eventsWorkflowId(scope: string): string {
  return `webhookEvents/${scope}`;
}

/** Follows up changed bank links, one run at a time. */
export function followUpWorkflowId(scope: string): string {
  return `followUpSync/${scope}`;
}

/** Nothing personal; null for an event that is about no onboarding. */
export function customerMessage(messageId: string, facts: EventFacts): CustomerEvent | null {
  const { known: kind, onboardingId, status, review, playbookVersion, at } = facts;
  if (kind === null || kind === BANK_LINK_UPDATED) return null;
  return { messageId, kind, onboardingId, status, review, playbookVersion, at };
}
