import { isKnownStatus } from "../../service/onboarding-status.js";
import { type CustomerState, needsCustomer } from "./customer-state.js";

export const NEXT_ACTIONS = {
  follow: "the customer follows the link",
  resend: "resend from the dashboard",
  answer: "the customer answers the reviewer",
  review: "decide the manual review in the dashboard",
  wait: "nothing yet: the service is still deciding",
  decide: "no decision: check it in the dashboard",
  failed: "fix what error_message says, then runs retry",
  refused:
    "correct what error_message says: the playbook or the file in a new batch, anything else at the service, then runs retry",
  check: "check in the dashboard whether it was carried out, then runs retry",
  expired: "ask the customer to continue, then runs retry",
  needsFpId: "needs fp_id",
  needsFpBid: "needs fp_bid: check in the dashboard whether the business was created",
  cancelled: "run the same command again",
  version: "the playbook version that ran is not the pinned one: check it",
} as const;

export function nextActionOf(state: CustomerState, pinnedVersion: number | null): string | null {
  const actions = [actionOf(state)];
  const ran = state.playbookVersion;
  if (pinnedVersion !== null && ran !== null && ran !== pinnedVersion) actions.push(NEXT_ACTIONS.version);
  const words = actions.filter((action) => action !== null);
  return words.length === 0 ? null : words.join("; ");
}

function actionOf(state: CustomerState): string | null {
  const { status, review, end, infoRequested, linkMissing } = state;
  if (end !== null) return NEXT_ACTIONS[end];
  if (needsCustomer(state)) return linkMissing ? NEXT_ACTIONS.resend : NEXT_ACTIONS.follow;
  if (infoRequested) return NEXT_ACTIONS.answer;
  if (review) return NEXT_ACTIONS.review;
  if (status === "error") return NEXT_ACTIONS.failed;
  if (status === "pending" || status === null) return NEXT_ACTIONS.wait;
  if (status === "none" || !isKnownStatus(status)) return NEXT_ACTIONS.decide;
  return status === "incomplete" ? NEXT_ACTIONS.resend : null;
}
