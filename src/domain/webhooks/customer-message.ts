import type { CustomerEvent } from "../onboarding/messages.js";
import { BANK_LINK_UPDATED, EVENT_KINDS, type EventKind } from "../service/event-kind.js";
import type { EventFacts } from "./event-facts.js";

/** Kinds that are about a customer's onboarding; a bank link is not. */
const CUSTOMER_KINDS: readonly string[] = EVENT_KINDS.filter((kind) => kind !== BANK_LINK_UPDATED);

/** What a waiting customer is told of an event, nothing of it personal; null for an event that is not theirs. */
export function customerMessage(messageId: string, facts: EventFacts): CustomerEvent | null {
  if (!CUSTOMER_KINDS.includes(facts.kind)) return null;
  const { onboardingId, status, requiresManualReview, playbookVersion, at } = facts;
  return {
    messageId,
    kind: facts.kind as EventKind,
    onboardingId,
    status,
    requiresManualReview,
    playbookVersion,
    at,
  };
}
