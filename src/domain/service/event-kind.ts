/** docs/reference/service.md, "Webhook events". */
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

/** Deployments sent it before `completed`; its status is in `new_status`. */
const STATUS_CHANGED = "onboarding.status_changed";

/** The contract's name of a kind, whatever a deployment's prefix; null for an unknown one. */
export function contractKind(kind: string): EventKind | null {
  const name = afterPrefix(kind);
  if (name === STATUS_CHANGED) return "service.onboarding.completed";
  return EVENT_KINDS.find((each) => afterPrefix(each) === name) ?? null;
}

/** A kind of the contract with a deployment's prefix. */
export function withPrefix(prefix: string, kind: string): string {
  return kind.replace(/^service\./, () => prefix);
}

function afterPrefix(kind: string): string {
  return kind.slice(kind.indexOf(".") + 1);
}
