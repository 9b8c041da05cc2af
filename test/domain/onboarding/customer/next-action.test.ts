import { expect, test } from "vitest";
import { type CustomerCourse, UNPOSTED } from "../../../../src/domain/onboarding/customer/customer-state.js";
import { NEXT_ACTIONS, nextActionOf } from "../../../../src/domain/onboarding/customer/next-action.js";

const course = (change: Partial<CustomerCourse>): CustomerCourse => ({
  ...UNPOSTED,
  onboardingId: "ob_1",
  stage: "people",
  ...change,
});

test.for([
  [{ status: "pass" }, null],
  [{ status: "fail" }, null],
  [{ status: "pass", requiresManualReview: true }, NEXT_ACTIONS.review],
  [{ status: "pass", requiresManualReview: true, infoRequested: true }, NEXT_ACTIONS.answer],
  [{ status: "incomplete" }, NEXT_ACTIONS.follow],
  [{ status: "incomplete", linkMissing: true }, NEXT_ACTIONS.resend],
  [{ status: "incomplete", stage: "settled" }, NEXT_ACTIONS.resend],
  [{ status: "incomplete", expired: true, stage: "settled" }, NEXT_ACTIONS.expired],
  [{ status: "pending" }, NEXT_ACTIONS.wait],
  [{ status: null }, NEXT_ACTIONS.wait],
  [{ status: "none" }, NEXT_ACTIONS.look],
  [{ status: "brand_new" }, NEXT_ACTIONS.look],
  [{ status: "error" }, NEXT_ACTIONS.retry],
  [{ status: null, failed: true, stage: "settled" }, NEXT_ACTIONS.retry],
  [{ status: "pending", failed: true, stage: "settled" }, NEXT_ACTIONS.retry],
  [{ status: null, cancelled: true, stage: "settled" }, NEXT_ACTIONS.again],
] as const)("%o", ([change, expected]) => {
  expect(nextActionOf(course(change), null)).toBe(expected);
});

test("a playbook version that is not the one pinned is flagged, beside what else there is to do", () => {
  expect(nextActionOf(course({ status: "pass", playbookVersion: 3 }), 3)).toBeNull();
  expect(nextActionOf(course({ status: "pass", playbookVersion: 4 }), 3)).toBe(NEXT_ACTIONS.version);
  expect(nextActionOf(course({ status: "none", playbookVersion: 4 }), 3)).toBe(
    `${NEXT_ACTIONS.look}; ${NEXT_ACTIONS.version}`,
  );
});
