import { beforeEach, expect, test } from "vitest";
import { keptLink } from "../../../../src/activities/onboarding/customer/apply-answer.js";
import { pollOnboarding } from "../../../../src/activities/onboarding/customer/poll-onboarding.js";
import { createOnboarding } from "../../../../src/api/operations/onboarding.js";
import type { Continuation } from "../../../../src/domain/onboarding/customer/continuation-offer.js";
import { afterLink, type CustomerState } from "../../../../src/domain/onboarding/customer/customer-state.js";
import type { CustomerEvent } from "../../../../src/domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { keptLinksFile } from "../../../../src/lake/onboarding/continuation-file.js";
import { eachTest } from "../../../helpers/each-test.js";
import {
  completed,
  event,
  IN_REVIEW,
  INCOMPLETE,
  openRow,
  POSTED,
} from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers } from "../../../helpers/onboarding/onboarding-batch.js";
import { workOn } from "../../../helpers/onboarding/row-work.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const DAY = 86_400_000;

const bench = eachTest(() =>
  openActivityBench({ playbooks: [{ key: "pb_1", outcomes: { pass: 1 }, versions: 3 }] }),
);
let batchId: string;
let onboardingId: string;
beforeEach(async () => {
  bench.sandbox.addUser({ fp_id: "fp_2" });
  const params = { body: { key: "pb_1:v3", fp_id: "fp_2" } };
  onboardingId = (await bench.deps.api.read(createOnboarding, params)).id;
  batchId = await freezeCustomers(bench.deps.batches, [customer(2)]);
});

const POLL = { operation: "get_onboarding" } as const;

/** The open row in a state. */
function stand(known: CustomerState) {
  const state = { ...known, onboardingId };
  return openRow({ batchId }, { state, recorded: state, deadline: Date.now() + 14 * DAY });
}

const poll = (known: CustomerState, events: readonly CustomerEvent[]) =>
  bench.run(() => workOn(bench.deps, stand(known), (row) => pollOnboarding(row, events)));

/** A poll that is answered with this. */
async function look(answer: object, known: CustomerState, events: readonly CustomerEvent[] = []) {
  bench.sandbox.addFault({
    kind: "wrong_body",
    ...POLL,
    body: JSON.stringify({ id: onboardingId, requires_manual_review: false, ...answer }),
    times: 1,
  });
  await keptLinksFile(bench.deps.sealed, batchId).put("unused");
  return poll(known, events);
}

test("a poll that lags behind does not undo the webhook that led to it", async () => {
  const told = event("service.onboarding.incomplete", { status: "incomplete" });
  const step = await look({ status: "pending" }, POSTED, [told]);
  expect(step.state).toMatchObject({ status: "incomplete", phase: "people" });
  expect(step.outcome).toMatchObject({ version: 1 });
});

test("a poll that knows more than the webhook counts", async () => {
  const told = event("service.onboarding.incomplete", { status: "incomplete" });
  const step = await look({ status: "pass" }, POSTED, [told]);
  expect(step.state).toMatchObject({ status: "pass", phase: "final" });
});

test("a poll that is about another onboarding does not undo the webhook that led to it", async () => {
  const told = completed("fail");
  const step = await look({ id: "onboarding_of_another_2222", status: "pass" }, POSTED, [told]);
  expect(step.state).toMatchObject({ status: "fail", phase: "final" });
  expect(bench.logged()).toMatchObject([{ msg: "a poll was about another onboarding", answered: "•••2222" }]);
});

test.each([
  ["alone, where the key is good", 1, undefined, "fail"],
  ["as every call is", 9, true, "pending"],
])("a poll that is answered 401 %s", async (_, times, unauthorized, status) => {
  bench.sandbox.addFault({ kind: "status", status: 401, times, ...(times === 1 && POLL) });
  const step = await poll(POSTED, [completed("fail")]);
  expect(step).toMatchObject({ state: { status } });
  expect(step.unauthorized).toBe(unauthorized);
});

// The contract does not show whether the answer repeats it.
const BARE = { requires_manual_review: undefined };

test("a review that only the webhook says is in the outcome", async () => {
  const step = await look({ ...BARE, status: "pass" }, POSTED, [completed("pass", true)]);
  expect(step.state.phase).toBe("people");
  expect(step.outcome).toMatchObject({
    ...{ status: "pass", requires_manual_review: true, settled_by: "webhook" },
    next_action: "decide the manual review in the dashboard",
  });
});

test("a reviewer's decision ends the review where only the webhook says that it is over", async () => {
  const decided = event("service.user.manual_review", { status: "fail", review: false });
  const step = await look({ ...BARE, status: "fail" }, IN_REVIEW, [decided]);
  expect(step.state.phase).toBe("final");
  expect(step.outcome).toMatchObject({ status: "fail", requires_manual_review: false, next_action: null });
});

test("a review that nobody says is unknown in the outcome, and waited for as long as a webhook has", async () => {
  const step = await look({ ...BARE, status: "pass" }, POSTED);
  expect(step.state.phase).toBe("people");
  expect(step.outcome).toMatchObject({ status: "pass", requires_manual_review: null, next_action: null });
  const left = Date.parse(step.outcome?.expires_at ?? "") - Date.now();
  expect(left).toBeLessThanOrEqual(DEFAULT_TIMING.pollMost);
});

const open = (n: number): Continuation => ({
  token: `token-${n}`,
  link: `https://verify.example/#token-${n}`,
  expires_at: new Date(Date.UTC(2030, 0, n)).toISOString(),
});
const lookForLink = (n: number, state: CustomerState) =>
  look({ status: "incomplete", continue_onboarding: open(n) }, state);
const kept = (number: number) => keptLink(bench.deps.sealed, { batchId, line: 2, attempt: 1 }, number).find();

test("a fresh link is the next delivery, the same one none; five at most", async () => {
  let state: CustomerState = INCOMPLETE;
  for (const number of [1, 2, 3, 4, 5]) {
    const step = await lookForLink(number, state);
    expect(step.link).toEqual({ number, expiresAt: Date.UTC(2030, 0, number) });
    state = afterLink(step.state, step.link?.expiresAt ?? null);
    expect((await lookForLink(number, state)).link).toBeNull();
  }
  expect((await lookForLink(6, state)).link).toBeNull();
});

test("the end of a link without an offset is UTC in any zone of this machine", async () => {
  const zone = process.env.TZ;
  process.env.TZ = "Asia/Tokyo";
  try {
    const link = { ...open(1), expires_at: "2030-01-01T00:00:00" };
    const step = await look({ status: "incomplete", continue_onboarding: link }, INCOMPLETE);
    expect(step.link?.expiresAt).toBe(Date.UTC(2030, 0, 1));
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("a repeated poll offers its link under the same number", async () => {
  expect((await lookForLink(1, INCOMPLETE)).link?.number).toBe(1);
  expect((await lookForLink(1, INCOMPLETE)).link?.number).toBe(1);
  expect(await kept(2)).toBeUndefined();
});

test("a row that is taken up again never gives a delivery's number to another link", async () => {
  for (const number of [1, 2]) {
    const { link } = await lookForLink(number, { ...INCOMPLETE, links: number - 1 });
    expect(link?.number).toBe(number);
  }
  const { link, state } = await lookForLink(3, INCOMPLETE);
  expect(link?.number).toBe(3);
  expect(await kept(1)).toEqual(open(1));
  const after = afterLink(state, link?.expiresAt ?? null);
  expect(after.links).toBe(3);
  expect((await lookForLink(3, after)).link).toBeNull();
});

test("a row that is taken up again hands the link that is still the last out as what it was", async () => {
  await lookForLink(1, INCOMPLETE);
  await lookForLink(2, { ...INCOMPLETE, links: 1 });
  const { link, state } = await lookForLink(2, INCOMPLETE);
  expect(link?.number).toBe(2);
  expect((await lookForLink(2, afterLink(state, link?.expiresAt ?? null))).link).toBeNull();
});
