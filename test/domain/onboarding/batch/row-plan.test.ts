import { expect, test } from "vitest";
import { type EarlierOutcome, planRow } from "../../../../src/domain/onboarding/batch/row-plan.js";

const outcome = (change: Partial<EarlierOutcome> = {}): EarlierOutcome => ({
  run_id: "before",
  attempt: 1,
  version: 1,
  status: "pass",
  onboarding_id: "ob_1",
  requires_manual_review: false,
  ...change,
});
const UNPOSTED = { status: "cancelled", onboarding_id: null };
const OPEN = { status: "needs_customer", version: 3 };
const RUN = { runId: "run", retry: false, cancel: false };
const RETRY = { runId: "run", retry: true, cancel: false };
const CANCEL = { runId: "run", retry: false, cancel: true };

test.for([
  ["nothing is known", {}, { kind: "run", attempt: 1 }],
  ["own outcome", { own: outcome({ attempt: 3 }) }, { kind: "keep", attempt: 3 }],
  ["own failure", { own: outcome({ status: "failed", onboarding_id: null }) }, { kind: "keep", attempt: 1 }],
  ["own expiry", { own: outcome({ status: "expired_no_response" }) }, { kind: "keep", attempt: 1 }],
  ["own before another's", { own: outcome({ attempt: 2 }), other: outcome() }, { kind: "keep", attempt: 2 }],
  ["another's", { other: outcome({ attempt: 4, version: 2 }) }, { kind: "reuse", attempt: 1, version: 1 }],
  ["own cancelled unposted", { own: outcome({ ...UNPOSTED, attempt: 2 }) }, { kind: "run", attempt: 3 }],
  [
    "own cancelled unposted, another's",
    { own: outcome(UNPOSTED), other: outcome() },
    { kind: "reuse", attempt: 2 },
  ],
  ["another's cancelled unposted", { other: outcome(UNPOSTED) }, { kind: "run", attempt: 1 }],
  ["own cancelled posted", { own: outcome({ status: "cancelled" }) }, { kind: "keep", follows: false }],
  ["own that may change", { own: outcome(OPEN) }, { kind: "keep", version: 3, follows: true }],
  ["another's that may change", { other: outcome(OPEN) }, { kind: "reuse", version: 1, follows: true }],
  ["own in review", { own: outcome({ requires_manual_review: true }) }, { kind: "keep", follows: true }],
  [
    "own open without an onboarding",
    { own: outcome({ ...OPEN, onboarding_id: null }) },
    { kind: "keep", follows: false },
  ],
] as const)("a run, where the tables know %s", ([, known, expected]) => {
  expect(planRow<EarlierOutcome>(known, RUN)).toMatchObject(expected);
});

test.for(["failed", "error", "none", "expired_no_response"])("a retry runs %s again", (status) => {
  const own = outcome({ status, attempt: 2 });
  expect(planRow({ own }, RETRY)).toEqual({ kind: "retry", attempt: 3, before: "ob_1" });
});

test.for([
  ["a row that has passed", { own: outcome() }, { kind: "keep", follows: false }],
  ["a row that may change", { own: outcome(OPEN) }, { kind: "keep", follows: true }],
  ["another batch's failure", { other: outcome({ status: "failed" }) }, { kind: "reuse", attempt: 1 }],
  ["a row without an outcome", {}, { kind: "run", attempt: 1 }],
  [
    "what it has written itself: planned again, it does not run a row twice",
    { own: outcome({ status: "failed", run_id: "run", attempt: 2 }) },
    { kind: "keep", attempt: 2 },
  ],
  [
    "what it has cancelled itself",
    { own: outcome({ ...UNPOSTED, run_id: "run", attempt: 2 }) },
    { kind: "keep", attempt: 2 },
  ],
] as const)("a retry leaves as it is %s", ([, known, expected]) => {
  expect(planRow<EarlierOutcome>(known, RETRY)).toMatchObject(expected);
});

test.for([
  ["cancels what was not posted", {}, RUN, { kind: "cancel", attempt: 1 }],
  [
    "keeps what may change, and does not follow it",
    { own: outcome(OPEN) },
    RUN,
    { kind: "keep", follows: false },
  ],
  ["keeps what failed, also of a retry", { own: outcome({ status: "failed" }) }, RETRY, { kind: "keep" }],
  ["reuses another batch's outcome", { other: outcome(OPEN) }, RUN, { kind: "reuse", follows: false }],
] as const)("a cancelled batch %s", ([, known, { retry }, expected]) => {
  expect(planRow<EarlierOutcome>(known, { ...CANCEL, retry })).toMatchObject(expected);
});
