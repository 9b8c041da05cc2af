import { type CustomerCourse, UNPOSTED } from "../../../src/domain/onboarding/customer/customer-state.js";
import type { CustomerEvent } from "../../../src/domain/onboarding/messages.js";
import type { EventKind } from "../../../src/domain/service/event-kind.js";

export const POSTED: CustomerCourse = { ...UNPOSTED, onboardingId: "ob_1", status: "pending" };
export const PASSED: CustomerCourse = { ...POSTED, status: "pass", stage: "settled", settledBy: "webhook" };
export const IN_REVIEW: CustomerCourse = { ...PASSED, stage: "people", requiresManualReview: true };
export const INCOMPLETE: CustomerCourse = { ...POSTED, status: "incomplete", stage: "people" };

/** A webhook of the onboarding `ob_1`. */
export const event = (kind: EventKind, change: Partial<CustomerEvent> = {}): CustomerEvent => ({
  messageId: "msg_1",
  kind,
  onboardingId: "ob_1",
  status: null,
  requiresManualReview: null,
  playbookVersion: null,
  at: null,
  ...change,
});
/** Its decision. */
export const completed = (status: string, review = false) =>
  event("service.onboarding.completed", { status, requiresManualReview: review });
