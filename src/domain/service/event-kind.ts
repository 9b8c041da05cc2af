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

/** A kind that deployments sent before `completed`; its status is in `new_status`. */
const STATUS_CHANGED = "onboarding.status_changed";

/** The kind of the contract that a kind means: what follows its first dot decides, for deployments have other prefixes. */
export function contractKind(kind: string): EventKind | null {
  const name = afterPrefix(kind);
  if (name === STATUS_CHANGED) return "service.onboarding.completed";
  return EVENT_KINDS.find((each) => afterPrefix(each) === name) ?? null;
}

/** A kind of the contract with the prefix of a deployment; one that begins otherwise stays as it is. */
export function withPrefix(prefix: string, kind: string): string {
  return kind.replace(/^service\./, () => prefix);
}

function afterPrefix(kind: string): string {
  return kind.slice(kind.indexOf(".") + 1);
}
