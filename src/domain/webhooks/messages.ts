import type { CustomerEvent } from "../onboarding/messages.js";
import { BANK_LINK_UPDATED, EVENT_KINDS, type EventKind } from "../service/event-kind.js";
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

/** Kinds that are about a customer's onboarding; a bank link is not. */
const CUSTOMER_KINDS: readonly string[] = EVENT_KINDS.filter((kind) => kind !== BANK_LINK_UPDATED);

/** What a waiting customer is told of an event, nothing of it personal; null for an event that is not theirs. */
export function customerMessage(messageId: string, facts: EventFacts): CustomerEvent | null {
  if (!CUSTOMER_KINDS.includes(facts.kind)) return null;
  const { onboardingId, status, review, playbookVersion, at } = facts;
  return { messageId, kind: facts.kind as EventKind, onboardingId, status, review, playbookVersion, at };
}
