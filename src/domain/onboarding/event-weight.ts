import { type CustomerCourse, isDecision } from "./customer-state.js";
import type { CustomerEvent } from "./messages.js";

/**
 * What a webhook is worth to a course. `news`: the onboarding is looked at. `hint`: it says nothing of the onboarding
 * itself, such as a changed vault; a look comes earlier, but many of them are not many looks. `nothing`: it changes
 * nothing.
 */
export type EventWeight = "news" | "hint" | "nothing";

/** Weighs a webhook against what is known. */
export function weightOf(course: CustomerCourse, event: CustomerEvent): EventWeight {
  if (course.stage === "settled") return "nothing";
  if (event.onboardingId !== null && event.onboardingId !== course.onboardingId) return "nothing";
  switch (event.kind) {
    case "service.onboarding.incomplete":
      return isDecision(course.status) || course.status === "incomplete" ? "nothing" : "news";
    case "service.onboarding.completed":
    case "service.user.manual_review":
      return isDecision(course.status) && isSame(course, event) ? "nothing" : "news";
    case "service.user.info_requested":
      return course.infoRequested ? "hint" : "news";
    case "service.user.bank_link_updated":
      return "nothing";
    default:
      return "hint";
  }
}

function isSame(course: CustomerCourse, { status, requiresManualReview }: CustomerEvent): boolean {
  return status === course.status && requiresManualReview === course.requiresManualReview;
}
