import { expect, it } from "vitest";
import { planRow } from "../../../src/domain/onboarding/frozen-row.js";
import type { EarlierOutcome } from "../../../src/domain/onboarding/outcome.js";
import { customer, wrongRow } from "../../helpers/onboarding/onboarding-batch.js";

const right = { row: 0, line: 2, rowKey: "k", identityHash: "h", customer: customer(2) };
const wrong = { ...wrongRow(2), row: 0 };
const earlier = (change: Partial<EarlierOutcome>): EarlierOutcome => ({
  batch_id: "onb_1",
  line: 2,
  attempt: 1,
  version: 1,
  status: "pass",
  onboarding_id: "ob_1",
  requires_manual_review: false,
  ...change,
});
const unposted = { status: "cancelled", onboarding_id: null };

it.each([
  ["nothing is known", right, undefined, undefined, "run", 1],
  ["own outcome", right, earlier({ attempt: 3 }), undefined, "kept", 3],
  ["own failure", right, earlier({ status: "failed", onboarding_id: null }), undefined, "kept", 1],
  ["own before another's", right, earlier({ attempt: 2 }), earlier({}), "kept", 2],
  ["another's", right, undefined, earlier({ attempt: 4 }), "adopted", 1],
  ["own cancelled unposted", right, earlier({ ...unposted, attempt: 2 }), undefined, "run", 3],
  ["own cancelled unposted, another's", right, earlier(unposted), earlier({}), "adopted", 2],
  ["another's cancelled unposted", right, undefined, earlier(unposted), "run", 1],
  ["own cancelled posted", right, earlier({ status: "cancelled" }), undefined, "kept", 1],
  ["a wrong row", wrong, undefined, undefined, "invalid", 1],
  ["a wrong row again", wrong, earlier({ status: "invalid", onboarding_id: null }), undefined, "kept", 1],
] as const)("%s", (_, row, own, others, state, attempt) => {
  const planned = planRow(row, own, others);
  expect(planned).toMatchObject({ state, attempt });
  expect(planned.earlier).toBe(state === "kept" ? own : state === "adopted" ? others : null);
});
