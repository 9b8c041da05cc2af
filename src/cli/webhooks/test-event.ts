import type { EventKind } from "../../domain/service/event-kind.js";

/** How a test event is told from all others. */
export interface TestMark {
  /** Stands in the place of the onboarding's id. */
  readonly mark: string;
  readonly isLive: boolean;
  readonly at: Date;
}

/**
 * The payload of a test webhook (SERVICE.md part 6). It is about nobody: no customer is woken and no bank link is
 * read again.
 */
export function testEvent(kind: EventKind, { mark, isLive, at }: TestMark): { event_kind: EventKind } {
  const event = {
    event_kind: kind,
    timestamp: at.toISOString(),
    is_live: isLive,
    onboarding_id: mark,
  };
  if (kind !== "service.onboarding.completed") return event;
  const nobody = "nightledger-test";
  return {
    ...event,
    ...{ fp_id: nobody, external_id: null, onboarding_external_id: null },
    ...{ playbook_key: nobody, playbook_version: 1 },
    ...{ status: "pass", requires_manual_review: false },
  };
}
