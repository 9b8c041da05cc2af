import { expect, test } from "vitest";
import {
  afterPoll,
  afterReport,
  type CustomerState,
  isOutcomeDue,
  rowVerdict,
  UNPOSTED,
} from "../../../../src/domain/onboarding/customer/customer-state.js";
import type { CustomerEvent } from "../../../../src/domain/onboarding/messages.js";
import {
  completed,
  event,
  IN_REVIEW,
  INCOMPLETE,
  PASSED,
  POSTED,
  UNSAID,
} from "../../../helpers/onboarding/customer-states.js";

// GET /onboardings/{id} gives the status; whether it repeats requires_manual_review is not shown. Here it does not.
const bare = (status: string) => ({ onboardingId: "ob_1", status, review: null });
const decided = (status: string, review: boolean | null, at: number | null = null) =>
  event("service.user.manual_review", { status, review, at });
const ANNOUNCED = { ...POSTED, review: true };
const ASKED = { ...IN_REVIEW, infoRequested: true };
const QUESTION = event("service.user.info_requested");

type Case = readonly [
  name: string,
  state: CustomerState,
  news: readonly CustomerEvent[],
  polled: string | null,
  expected: readonly [status: string, review: boolean | null, phase: CustomerState["phase"]],
];
test.for<Case>([
  [
    "the webhook says that a reviewer decides",
    POSTED,
    [completed("pass", true)],
    "pass",
    ["pass", true, "people"],
  ],
  ["the webhook says that none does", POSTED, [completed("pass")], "pass", ["pass", false, "final"]],
  [
    "the reviewer has decided otherwise",
    IN_REVIEW,
    [decided("fail", false)],
    "fail",
    ["fail", false, "final"],
  ],
  ["the reviewer has confirmed it", IN_REVIEW, [decided("pass", false)], "pass", ["pass", false, "final"]],
  [
    "the newest counts, whatever came first",
    POSTED,
    [decided("pass", false, 2), { ...completed("pass", true), at: 1 }],
    "pass",
    ["pass", false, "final"],
  ],
  [
    "a webhook about another status says nothing",
    POSTED,
    [completed("fail", true)],
    "pass",
    ["pass", null, "people"],
  ],
  [
    "nor one that names no onboarding",
    POSTED,
    [{ ...completed("pass", true), onboardingId: null }],
    "pass",
    ["pass", null, "people"],
  ],
  ["a poll alone", POSTED, [], "pass", ["pass", null, "people"]],
  ["a poll alone, after the customer", INCOMPLETE, [], "fail", ["fail", null, "people"]],
  ["a review that was announced", ANNOUNCED, [], "pass", ["pass", true, "people"]],
  ["the same decision in review", IN_REVIEW, [], "pass", ["pass", true, "people"]],
  ["another decision in review, by a poll alone", IN_REVIEW, [], "fail", ["fail", null, "people"]],
  ["another one after a question, by a poll alone", ASKED, [], "fail", ["fail", null, "people"]],
  ["a webhook that comes later", UNSAID, [completed("pass", true)], "pass", ["pass", true, "people"]],
  ["a webhook that comes later, no poll", UNSAID, [completed("pass", true)], null, ["pass", true, "people"]],
  ["a webhook that comes later and says none", UNSAID, [completed("pass")], "pass", ["pass", false, "final"]],
  [
    "a webhook that does not say it either",
    UNSAID,
    [decided("fail", null)],
    "fail",
    ["fail", null, "people"],
  ],
  ["a reviewer's question", UNSAID, [QUESTION], "pass", ["pass", null, "people"]],
  [
    "a reviewer's question, polled again",
    { ...UNSAID, infoRequested: true },
    [],
    "pass",
    ["pass", null, "people"],
  ],
  ["nothing came: nobody says it any more", UNSAID, [], "pass", ["pass", null, "final"]],
  ["nothing came, and no poll is answered", UNSAID, [], null, ["pass", null, "final"]],
  ["nothing came but another decision", UNSAID, [], "fail", ["fail", null, "people"]],
  ["final without a review", PASSED, [], "fail", ["pass", false, "final"]],
])("where the poll does not say the review: %s", ([, state, news, polled, [status, review, phase]]) => {
  const after = afterPoll(state, news, polled === null ? null : bare(polled));
  expect([rowVerdict(after), after.phase]).toEqual([{ status, review }, phase]);
});

test("an answer that was lost and is found by a look-up has a review that nobody has said", () => {
  const found = afterReport(UNPOSTED, bare("pass"), "sync");
  expect(found).toMatchObject({ review: null, phase: "people" });
  expect(afterReport(UNPOSTED, bare("pending"), "sync")).toMatchObject({ review: null, phase: "machine" });
});

test("a poll that says the review itself counts before every webhook", () => {
  const polled = { ...bare("pass"), review: true };
  expect(afterPoll(UNSAID, [completed("pass")], polled)).toMatchObject({ review: true, phase: "people" });
});

test("a review that is said later is a new version of the outcome, its end without news is none", () => {
  const recorded = { ...UNSAID, version: 1 };
  expect(isOutcomeDue(recorded, { ...recorded, review: true })).toBe(true);
  expect(isOutcomeDue(recorded, afterPoll(recorded, [], bare("pass")))).toBe(false);
});
