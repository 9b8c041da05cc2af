import { describe, expect, test } from "vitest";
import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterPoll,
  afterPost,
  afterReport,
  afterStop,
  isOutcomeDue,
  lacksOutput,
  reopened,
  rowStatus,
  UNPOSTED,
  withoutLink,
} from "../../../../src/domain/onboarding/customer/customer-state.js";
import {
  completed,
  event,
  IN_REVIEW,
  INCOMPLETE,
  PASSED,
  POSTED,
} from "../../../helpers/onboarding/customer-states.js";

const report = (status: string | null, more: { review?: boolean | null; output?: boolean } = {}) => ({
  onboardingId: "ob_1",
  status,
  review: more.review === undefined ? false : more.review,
  hasOutput: more.output ?? false,
});

describe("the service's own answer", () => {
  test.for([
    ["pass", false, { phase: "final", status: "pass", decidedBy: "sync" }],
    ["fail", false, { phase: "final", status: "fail", decidedBy: "sync" }],
    ["none", false, { phase: "final", status: "none", decidedBy: "sync" }],
    ["error", false, { phase: "final", status: "error", decidedBy: "sync" }],
    ["pass", true, { phase: "people", review: true, decidedBy: "sync" }],
    ["incomplete", false, { phase: "people", status: "incomplete", decidedBy: null }],
    ["pending", false, { phase: "machine", status: "pending", decidedBy: null }],
    ["pending", true, { phase: "machine", status: "pending", review: true }],
    ["brand_new", false, { phase: "people", status: "brand_new", decidedBy: null }],
  ] as const)("%s, review %s", ([status, review, expected]) => {
    expect(afterReport(UNPOSTED, report(status, { review }), "sync")).toMatchObject({
      onboardingId: "ob_1",
      ...expected,
    });
  });

  // It was recorded, and what the service decided afterwards was ignored.
  test("none, where it was only to queue the onboarding, is followed by the decision", () => {
    const queued = afterPost(UNPOSTED, report("none"), true);
    expect(queued).toMatchObject({ onboardingId: "ob_1", status: "pending", phase: "machine" });
    expect(afterPoll(queued, [completed("pass")], report("pass"))).toMatchObject({ status: "pass" });
    expect(afterPoll(queued, [], report("none"))).toMatchObject({ status: "none", phase: "final" });
  });

  test.for([
    ["none", false],
    ["fail", true],
  ] as const)("%s is final in the answer to a post that only queues: %s", ([status, isQueued]) => {
    expect(afterPost(UNPOSTED, report(status), isQueued)).toMatchObject({ status, phase: "final" });
  });

  test("without a status it says nothing but an id and an output", () => {
    const after = afterReport(UNPOSTED, report(null, { output: true }), "poll");
    expect(after).toEqual({ ...UNPOSTED, onboardingId: "ob_1", hasOutput: true });
  });

  test.for(["pending", "incomplete", "brand_new"])("a decision never goes back to %s", (status) => {
    expect(afterReport(PASSED, report(status), "poll")).toEqual(PASSED);
    expect(afterReport(IN_REVIEW, report(status), "poll")).toEqual(IN_REVIEW);
  });

  test("the same decision again keeps who brought it", () => {
    expect(afterReport(PASSED, report("pass"), "poll").decidedBy).toBe("webhook");
  });

  test("an incomplete one may continue: pending for the people, then decided", () => {
    const pending = afterReport(INCOMPLETE, report("pending"), "validation");
    expect(pending).toMatchObject({ status: "pending", phase: "people" });
    expect(afterReport(pending, report("pass"), "webhook")).toMatchObject({ phase: "final" });
  });

  test("what has expired stays so", () => {
    const expired = afterDeadline(INCOMPLETE);
    expect(rowStatus(expired)).toBe("expired_no_response");
    expect(afterReport(expired, report("pass"), "poll")).toEqual(expired);
  });
});

describe("a webhook and the poll it triggered", () => {
  test("the poll wins", () => {
    expect(afterPoll(POSTED, [completed("pass")], report("fail", { output: true }))).toMatchObject({
      status: "fail",
      decidedBy: "webhook",
      hasOutput: true,
    });
  });

  test.for([
    ["failed", null],
    ["still says pending", report("pending")],
    ["says nothing", report(null)],
  ] as const)("where the poll %s, the webhook counts", ([, polled]) => {
    expect(afterPoll(POSTED, [completed("pass")], polled)).toMatchObject({
      status: "pass",
      decidedBy: "webhook",
    });
  });

  test("stale or in the wrong order, it takes nothing back", () => {
    expect(
      afterPoll(IN_REVIEW, [event("service.onboarding.incomplete", { status: "incomplete" })], null),
    ).toEqual(IN_REVIEW);
  });

  // The event was used up, and the reviewer's decision came with a poll hours later, or never.
  test.for([
    ["failed", null],
    ["says nothing", report(null)],
  ] as const)("where the poll %s, a reviewer's word counts", ([, polled]) => {
    const reviewed = event("service.user.manual_review", { status: "fail", review: false });
    expect(afterPoll(IN_REVIEW, [reviewed], polled)).toMatchObject({ status: "fail", phase: "final" });
    expect(afterPoll(IN_REVIEW, [reviewed], report("pass", { review: true }))).toEqual(IN_REVIEW);
  });

  test("a poll that lags behind does not undo what a webhook said, whatever comes with it", () => {
    const told = event("service.onboarding.incomplete", { status: "incomplete" });
    const after = afterPoll(POSTED, [told, event("service.vault.updated")], report("pending"));
    expect(after).toMatchObject({ status: "incomplete", phase: "people" });
  });

  test("a request for more is over with the review, also among other events", () => {
    const news = [completed("pass"), event("service.user.info_requested")];
    expect(afterPoll(POSTED, news, report("pass")).infoRequested).toBe(false);
  });

  test("names the version that ran, and that a reviewer asked for more", () => {
    const asked = event("service.user.info_requested", { playbookVersion: 2 });
    const after = afterPoll(IN_REVIEW, [asked], report("pass", { review: true }));
    expect(after).toMatchObject({ playbookVersion: 2, infoRequested: true, phase: "people" });
    expect(afterReport(after, report("pass"), "poll").infoRequested).toBe(false);
  });
});

test("after the decision's time: processed as pending, and still listening", () => {
  expect(afterDecisionTimeout(POSTED)).toEqual({ ...POSTED, phase: "people" });
  expect(afterDecisionTimeout(PASSED)).toBe(PASSED);
});

test("the deadline ends every wait; only a customer who was waited for has expired", () => {
  expect(afterDeadline(INCOMPLETE)).toMatchObject({ phase: "final", end: "expired" });
  expect(afterDeadline(IN_REVIEW)).toMatchObject({ phase: "final", end: null, status: "pass" });
});

test("an open outcome of an earlier command continues from its status, and is not written again", () => {
  const open = { onboardingId: "ob_1", status: "needs_customer", review: false, version: 2 };
  const state = reopened(open);
  expect(state).toMatchObject({ status: "incomplete", phase: "people", version: 2 });
  expect(isOutcomeDue(state, state)).toBe(false);
  expect(rowStatus(state)).toBe("needs_customer");
});

test("stopped before anything was posted it is cancelled, afterwards it keeps its status", () => {
  expect(rowStatus(afterStop(UNPOSTED))).toBe("cancelled");
  expect(rowStatus(afterStop(POSTED))).toBe("pending");
  expect(rowStatus(afterStop(INCOMPLETE))).toBe("needs_customer");
  expect(rowStatus(afterStop(afterFailure(UNPOSTED)))).toBe("failed");
});

test.for([
  ["nothing while the service works", UNPOSTED, POSTED, false],
  ["the first time it is processed", UNPOSTED, PASSED, true],
  ["not for the same again", { ...PASSED, version: 1 }, { ...PASSED, version: 1 }, false],
  ["for the end of a review", { ...IN_REVIEW, version: 1 }, { ...PASSED, version: 1 }, true],
  ["for an output that came", { ...PASSED, version: 1 }, { ...PASSED, version: 1, hasOutput: true }, true],
  ["for an expiry", { ...INCOMPLETE, version: 1 }, afterDeadline({ ...INCOMPLETE, version: 1 }), true],
  ["not for being stopped", { ...INCOMPLETE, version: 1 }, afterStop({ ...INCOMPLETE, version: 1 }), false],
  [
    "for a link that is missing",
    { ...INCOMPLETE, version: 1 },
    withoutLink({ ...INCOMPLETE, version: 1 }),
    true,
  ],
  ["not for another link", { ...INCOMPLETE, version: 1 }, afterLink({ ...INCOMPLETE, version: 1 }, 9), false],
] as const)("an outcome is due %s", ([, recorded, now, expected]) => {
  expect(isOutcomeDue(recorded, now)).toBe(expected);
});

test.for([
  ["decided without one", PASSED, true],
  ["decided with one", { ...PASSED, hasOutput: true }, false],
  ["not decided", POSTED, false],
  ["in review", IN_REVIEW, false],
  ["ended with an error", { ...PASSED, status: "error" }, false],
  ["not started", afterFailure(POSTED), false],
  ["expired", afterDeadline(INCOMPLETE), false],
] as const)("an output may follow a row that was %s: %s", ([, state, expected]) => {
  expect(lacksOutput(state)).toBe(expected);
});
