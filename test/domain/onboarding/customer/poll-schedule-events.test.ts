import { expect, test } from "vitest";
import { relevanceOf } from "../../../../src/domain/onboarding/customer/poll-schedule.js";
import {
  completed,
  event,
  IN_REVIEW,
  INCOMPLETE,
  PASSED,
  POSTED,
  UNSAID,
} from "../../../helpers/onboarding/customer-states.js";

const NAMELESS = { onboardingId: null };
const ASKED = { ...IN_REVIEW, infoRequested: true };
const SAME = { status: "pass", review: true };

test.for([
  ["completed of another onboarding", POSTED, { ...completed("pass"), onboardingId: "ob_2" }, "irrelevant"],
  ["completed", POSTED, completed("pass"), "relevant"],
  ["completed twice", PASSED, completed("pass"), "irrelevant"],
  ["completed again while in review", IN_REVIEW, completed("pass", true), "irrelevant"],
  ["completed otherwise while in review", IN_REVIEW, completed("fail"), "relevant"],
  ["incomplete", POSTED, event("service.onboarding.incomplete"), "relevant"],
  ["incomplete again", INCOMPLETE, event("service.onboarding.incomplete"), "irrelevant"],
  ["incomplete after the decision", IN_REVIEW, event("service.onboarding.incomplete"), "irrelevant"],
  ["a review", IN_REVIEW, event("service.user.manual_review"), "relevant"],
  ["a review that changes nothing", IN_REVIEW, event("service.user.manual_review", SAME), "irrelevant"],
  ["a review of who knows which", IN_REVIEW, event("service.user.manual_review", NAMELESS), "relevant"],
  ["a review after the end", PASSED, event("service.user.manual_review"), "irrelevant"],
  ["completed with a review that nobody has said", UNSAID, completed("pass", true), "relevant"],
  ["completed without one that nobody has said", UNSAID, completed("pass"), "relevant"],
  ["a vault while a review may be said", UNSAID, event("service.vault.updated"), "irrelevant"],
  ["a question of the reviewer", IN_REVIEW, event("service.user.info_requested"), "relevant"],
  ["another question", ASKED, event("service.user.info_requested"), "weak"],
  ["a bank link", POSTED, event("service.user.bank_link_updated", NAMELESS), "irrelevant"],
  ["a vault", INCOMPLETE, event("service.vault.updated", NAMELESS), "weak"],
  ["a vault after the end", PASSED, event("service.vault.updated", NAMELESS), "irrelevant"],
  ["a watchlist", IN_REVIEW, event("service.watchlist_check.completed", NAMELESS), "weak"],
  ["an entity's status", IN_REVIEW, event("service.entity.entity_status_set", NAMELESS), "weak"],
] as const)("%s", ([, state, given, expected]) => {
  expect(relevanceOf(state, given)).toBe(expected);
});
