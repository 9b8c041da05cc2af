import { expect, test } from "vitest";
import {
  afterFailure,
  type CustomerState,
  UNPOSTED,
} from "../../../../src/domain/onboarding/customer/customer-state.js";
import {
  newOutcome,
  type OutcomeFacts,
  troubleOf,
} from "../../../../src/domain/onboarding/customer/new-outcome.js";
import type { Outcome } from "../../../../src/domain/onboarding/outcome.js";
import { FIRST_ROW, INCOMPLETE, PASSED, POSTED } from "../../../helpers/onboarding/customer-states.js";
import { customer, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";

const ROW = customer(2, { vault: { "id.first_name": "Marguerite" } });
const DEADLINE = Date.UTC(2026, 11, 6);
const make = (state: CustomerState, facts: OutcomeFacts = {}, prior?: Outcome, row = ROW) =>
  newOutcome(FIRST_ROW, state, facts, { customer: row, deadline: DEADLINE, prior, playbook: "pb_1:v3" });
const earlier = (change: Partial<Outcome>) =>
  outcomeOf(ROW, { settled_at: "2026-11-22T11:00:00Z", ...change });

test("an outcome names its row, the onboarding, and the playbook version that is pinned or ran", () => {
  const names = { line: 2, attempt: 1, version: 2, row_key: "key", kind: "user", fp_id: "fp_2" };
  const outcome = make({ ...PASSED, version: 2 });
  expect(outcome).toMatchObject({
    ...names,
    onboarding_id: "ob_1",
    playbook_version: 3,
    settled_by: "webhook",
  });
  expect(make({ ...PASSED, playbookVersion: 4 }).playbook_version).toBe(4);
});

test.for([
  ["decided", PASSED, true],
  ["failed", afterFailure(UNPOSTED), true],
  ["open", INCOMPLETE, false],
] as const)("a row that is %s is waited for until its end or its deadline", ([, state, ended]) => {
  const { settled_at, expires_at } = make(state);
  expect(typeof settled_at === "string").toBe(ended);
  expect(expires_at).toBe(ended ? null : "2026-12-06T00:00:00.000Z");
});

test("the same end keeps its time, another one gets its own", () => {
  expect(make(PASSED, {}, earlier({ status: "pass" })).settled_at).toBe("2026-11-22T11:00:00Z");
  expect(make(PASSED, {}, earlier({ status: "fail" })).settled_at).not.toBe("2026-11-22T11:00:00Z");
});

test("what the service leaves out stays as in the previous version", () => {
  const prior = earlier({ output: '{"score":7}', status: "error", error_message: "vendor down" });
  expect(make({ ...PASSED, status: "error" }, { answer: null }, prior)).toMatchObject({
    output: '{"score":7}',
    error_message: "vendor down",
    error_class: "OnboardingTransientError",
  });
  expect(make(PASSED, { answer: { output: { score: 9 } } }, prior)).toMatchObject({
    output: '{"score":9}',
    error_message: null,
    error_class: null,
  });
});

test("what a message quotes of the row is taken out, but for its ids", () => {
  const vault = { "id.first_name": "PLANTED", "custom.n": 987654 };
  const row = customer(2, { vault, prerequisiteData: { a: { b: "PLANTED-b" } } });
  const error_message = "no such person: PLANTED-b, PLANTED (987654) of fp_2";
  const made = make({ ...PASSED, status: "error" }, { answer: { error_message } }, undefined, row);
  expect(made.error_message).toBe("no such person: [value]) of fp_2");
});

test("an outcome of a business has the id that it was made with", () => {
  const business = customer(2, { kind: "business", fpId: null, externalId: null, create: true });
  expect(make(POSTED, { fp_bid: "fp_bid_1" }, undefined, business)).toMatchObject({
    fp_id: null,
    fp_bid: "fp_bid_1",
  });
  const prior = earlier({ fp_bid: "fp_bid_1" });
  expect(make(POSTED, {}, prior, business).fp_bid).toBe("fp_bid_1");
});

test.for([
  ["its own values", "name Marguerite is too long", "name [value] is too long"],
  ["the time of a lost request", "lost at 2026-11-22T10:00:00.123Z", "lost at "],
] as const)("errors are equal for the circuit without %s", ([, error_message, words]) => {
  const facts = { error_class: "OnboardingDataError", error_message };
  expect(troubleOf(make(afterFailure(UNPOSTED), facts), facts, ROW)).toBe(`OnboardingDataError\n${words}`);
});

test("a row that ended well has no trouble, and a refusal is named by its status", () => {
  expect(troubleOf(make(PASSED), {}, ROW)).toBeNull();
  const facts = {
    error_class: "RejectedError",
    error_message: "said this",
    trouble: "create_onboarding: 400",
  };
  expect(troubleOf(make(afterFailure(UNPOSTED), facts), facts, ROW)).toBe(
    "RejectedError\ncreate_onboarding: 400",
  );
});
