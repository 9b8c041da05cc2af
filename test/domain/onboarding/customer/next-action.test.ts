import { expect, test } from "vitest";
import { type CustomerState, UNPOSTED } from "../../../../src/domain/onboarding/customer/customer-state.js";
import { NEXT_ACTIONS, nextActionOf } from "../../../../src/domain/onboarding/customer/next-action.js";

const state = (change: Partial<CustomerState>): CustomerState => ({
  ...UNPOSTED,
  onboardingId: "ob_1",
  phase: "people",
  ...change,
});

test.for([
  [{ status: "pass" }, null],
  [{ status: "fail" }, null],
  [{ status: "pass", review: true }, NEXT_ACTIONS.review],
  [{ status: "pass", review: true, infoRequested: true }, NEXT_ACTIONS.answer],
  [{ status: "incomplete" }, NEXT_ACTIONS.follow],
  [{ status: "incomplete", linkMissing: true }, NEXT_ACTIONS.resend],
  [{ status: "incomplete", phase: "final" }, NEXT_ACTIONS.resend],
  [{ status: "incomplete", end: "expired", phase: "final" }, NEXT_ACTIONS.expired],
  [{ status: "pending" }, NEXT_ACTIONS.wait],
  [{ status: null }, NEXT_ACTIONS.wait],
  [{ status: "none" }, NEXT_ACTIONS.decide],
  [{ status: "brand_new" }, NEXT_ACTIONS.decide],
  [{ status: "error" }, NEXT_ACTIONS.failed],
  [{ status: null, end: "failed", phase: "final" }, NEXT_ACTIONS.failed],
  [{ status: "pending", end: "failed", phase: "final" }, NEXT_ACTIONS.failed],
  [{ status: null, end: "cancelled", phase: "final" }, NEXT_ACTIONS.cancelled],
] as const)("%o", ([change, expected]) => {
  expect(nextActionOf(state(change), null)).toBe(expected);
});

test("a playbook version that is not the one pinned is flagged, beside what else there is to do", () => {
  expect(nextActionOf(state({ status: "pass", playbookVersion: 3 }), 3)).toBeNull();
  expect(nextActionOf(state({ status: "pass", playbookVersion: 4 }), 3)).toBe(NEXT_ACTIONS.version);
  expect(nextActionOf(state({ status: "none", playbookVersion: 4 }), 3)).toBe(
    `${NEXT_ACTIONS.decide}; ${NEXT_ACTIONS.version}`,
  );
});
