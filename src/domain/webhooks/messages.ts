import type { CustomerEvent } from "../onboarding/messages.js";
import { BANK_LINK_UPDATED } from "../service/event-kind.js";
import type { EventFacts } from "./event-facts.js";

/** A staged event, and whether an open row of a customer took it. */
export interface EventReceipt {
  /** The event's name in staging: 32 hex digits of its message id's hash. */
  readonly name: string;
  readonly matched: boolean;
}

/** Workflow types and signals that handle the receiver's events. */
export const EVENTS_WORKFLOW = "webhookEvents";
export const EVENTS_SIGNAL = "eventsReceived";
export const FOLLOW_UP_WORKFLOW = "followUpSync";
export const FOLLOW_UP_SIGNAL = "followUpAsked";

/** Writes the events of one service and lake into their table. */
export function eventsWorkflowId(scope: string): string {
  return `webhookEvents/${scope}`;
}

/** Follows up changed bank links of one service and lake, one run at a time. */
export function followUpWorkflowId(scope: string): string {
  return `followUpSync/${scope}`;
}

/**
 * What a waiting customer is told of an event, nothing of it personal; null for an event that is not about an onboarding:
 * of a bank link, or of a kind that nobody knows.
 */
export function customerMessage(messageId: string, facts: EventFacts): CustomerEvent | null {
  const { known: kind, onboardingId, status, review, playbookVersion, at } = facts;
  if (kind === null || kind === BANK_LINK_UPDATED) return null;
  return { messageId, kind, onboardingId, status, review, playbookVersion, at };
}
