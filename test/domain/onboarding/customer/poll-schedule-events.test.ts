import { expect, test } from "vitest";
import { weightOf } from "../../../../src/domain/onboarding/customer/poll-schedule.js";
import {
  completed,
  event,
  IN_REVIEW,
  INCOMPLETE,
  PASSED,
  POSTED,
} from "../../../helpers/onboarding/customer-states.js";

const NAMELESS = { onboardingId: null };
const ASKED = { ...IN_REVIEW, infoRequested: true };
const SAME = { status: "pass", requiresManualReview: true };

test.for([
  ["completed of another onboarding", POSTED, { ...completed("pass"), onboardingId: "ob_2" }, "nothing"],
  ["completed", POSTED, completed("pass"), "news"],
  ["completed twice", PASSED, completed("pass"), "nothing"],
  ["completed again while in review", IN_REVIEW, completed("pass", true), "nothing"],
  ["completed otherwise while in review", IN_REVIEW, completed("fail"), "news"],
  ["incomplete", POSTED, event("service.onboarding.incomplete"), "news"],
  ["incomplete again", INCOMPLETE, event("service.onboarding.incomplete"), "nothing"],
  ["incomplete after the decision", IN_REVIEW, event("service.onboarding.incomplete"), "nothing"],
  ["a review", IN_REVIEW, event("service.user.manual_review"), "news"],
  ["a review that changes nothing", IN_REVIEW, event("service.user.manual_review", SAME), "nothing"],
  ["a review of who knows which", IN_REVIEW, event("service.user.manual_review", NAMELESS), "news"],
  ["a review after the end", PASSED, event("service.user.manual_review"), "nothing"],
  ["a question of the reviewer", IN_REVIEW, event("service.user.info_requested"), "news"],
  ["another question", ASKED, event("service.user.info_requested"), "hint"],
  ["a bank link", POSTED, event("service.user.bank_link_updated", NAMELESS), "nothing"],
  ["a vault", INCOMPLETE, event("service.vault.updated", NAMELESS), "hint"],
  ["a vault after the end", PASSED, event("service.vault.updated", NAMELESS), "nothing"],
  ["a watchlist", IN_REVIEW, event("service.watchlist_check.completed", NAMELESS), "hint"],
  ["an entity's status", IN_REVIEW, event("service.entity.entity_status_set", NAMELESS), "hint"],
] as const)("%s", ([, course, given, expected]) => {
  expect(weightOf(course, given)).toBe(expected);
});
