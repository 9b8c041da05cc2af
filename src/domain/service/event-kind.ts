/** Kinds of events that the service sends (docs/reference/service.md, "Webhook events"). */
export const EVENT_KINDS = [
  "service.onboarding.completed",
  "service.onboarding.incomplete",
  "service.watchlist_check.completed",
  "service.user.info_requested",
  "service.user.manual_review",
  "service.vault.updated",
  "service.user.bank_link_updated",
  "service.entity.entity_status_set",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const BANK_LINK_UPDATED: EventKind = "service.user.bank_link_updated";
