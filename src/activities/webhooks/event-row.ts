import type { Sealer } from "../../domain/sealer.js";
import type { EventFacts } from "../../domain/webhooks/event-facts.js";
import type { StagedEvent } from "../../lake/webhooks/staged-events.js";

/** What sealed payloads are for: they open under it. */
const PAYLOAD_CONTEXT = "webhook_events.payload";

/** A row of `webhook_events`. */
export function eventRow(
  { messageId, receivedAt, body }: StagedEvent,
  facts: EventFacts,
  matched: boolean,
  sealer: Sealer,
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
    payload: Buffer.from(sealer.seal(Buffer.from(body), PAYLOAD_CONTEXT)).toString("base64"),
  };
}

/** A payload of the table in the clear again. @throws InputError when its key is not there. */
export function openedPayload(sealer: Sealer, payload: string): string {
  return Buffer.from(sealer.open(Buffer.from(payload, "base64"), PAYLOAD_CONTEXT)).toString("utf8");
}
