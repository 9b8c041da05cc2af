import type { EventFacts } from "../../domain/webhooks/event-facts.js";
import type { StagedEvent } from "../../lake/webhooks/staged-events.js";

export function eventRow(
  { messageId, receivedAt, body }: StagedEvent,
  facts: EventFacts,
  matched: boolean,
): Record<string, unknown> {
  return {
    message_id: messageId,
    received_at: receivedAt,
    event_kind: facts.kind,
    fp_id: facts.fpId,
    external_id: facts.externalId,
    onboarding_id: facts.onboardingId,
    playbook_key: facts.playbookKey,
    playbook_version: facts.playbookVersion,
    status: facts.status,
    requires_manual_review: facts.requiresManualReview,
    is_live: facts.isLive,
    event_timestamp: facts.at === null ? null : new Date(facts.at).toISOString(),
    event_timestamp_text: facts.timestamp,
    known: facts.known,
    matched,
    payload: body,
  };
}
