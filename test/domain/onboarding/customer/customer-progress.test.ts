import { expect, test } from "vitest";
import type { OutcomeRef } from "../../../../src/domain/onboarding/batch/batch-rows.js";
import {
  afterStep,
  type Customer,
  dueStep,
  endOf,
  hasLinkEnded,
  newCustomer,
  newsTaken,
  wakeAt,
  withProgress,
} from "../../../../src/domain/onboarding/customer/customer-progress.js";
import type { CustomerState } from "../../../../src/domain/onboarding/customer/customer-state.js";
import { type CustomerStep, unstagedStep } from "../../../../src/domain/onboarding/customer/customer-step.js";
import type { WaitRequest } from "../../../../src/domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { completed, event, INCOMPLETE, PASSED, POSTED } from "../../../helpers/onboarding/customer-states.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WAITER = { batchId: "onb_2", rowKey: "key" } as WaitRequest;
const REUSED = { reused: [{ waiter: WAITER, version: 1 }], waiting: [] };

const customer = (
  state: CustomerState,
  {
    mail,
    polls,
    stopped = false,
    ...change
  }: { [K in keyof Omit<Customer, "stopped">]?: Partial<Customer[K]> } & { readonly stopped?: boolean } = {},
): Customer => {
  const begun = withProgress(newCustomer(null, DEFAULT_TIMING, 0), { state, ...change.progress });
  return {
    ...begun,
    mail: { ...begun.mail, ...mail },
    polls: { ...begun.polls, ...polls },
    waiters: { ...begun.waiters, ...change.waiters },
    stopped,
  };
};

test.for([
  ["a row that is decided", customer(PASSED), "finished"],
  ["a row of a cancelled batch", customer(POSTED, { stopped: true }), "stopped"],
  [
    "a row of a cancelled batch whose outcomes are reused",
    customer(POSTED, { stopped: true, waiters: REUSED }),
    "inherited",
  ],
  ["a row that another one waits for", customer(POSTED, { waiters: { waiting: [WAITER] } }), "stopped"],
  [
    "a row of a cancelled batch that another one waits for",
    customer(POSTED, { stopped: true, waiters: { ...REUSED, waiting: [WAITER] } }),
    "stopped",
  ],
  ["a row that waits", customer(POSTED, { waiters: REUSED }), undefined],
] as const)("the end of %s", ([, given, expected]) => {
  expect(endOf(given)).toBe(expected);
});

test.for([
  ["a poll, soon", POSTED, 0, 2_000],
  ["the time that a decision may take", POSTED, 30, 300_000],
  ["a poll of those who wait for people", INCOMPLETE, 30, 6 * HOUR],
] as const)("a customer wakes for %s", ([, state, polls, expected]) => {
  expect(wakeAt(customer(state, { polls: { polls } }), DEFAULT_TIMING)).toBe(expected);
});

test("a customer wakes for the deadline and for the end of the decision's time, whatever the next poll is", () => {
  const polls = { polledAt: 20 * DAY };
  expect(wakeAt(customer(INCOMPLETE, { polls }), DEFAULT_TIMING)).toBe(14 * DAY);
  expect(wakeAt(customer(POSTED, { polls }), DEFAULT_TIMING)).toBe(HOUR);
});

const LATE = { polls: { polledAt: 20 * DAY } };

test.for([
  [
    "news before all else",
    customer(POSTED, { mail: { events: [completed("pass")] }, stopped: true }),
    15 * DAY,
    "news",
  ],
  ["nothing, once its batch is cancelled", customer(POSTED, { stopped: true }), 15 * DAY, undefined],
  [
    "nothing, where a row waits for an answer",
    customer(INCOMPLETE, { mail: { waiters: [WAITER] } }),
    15 * DAY,
    undefined,
  ],
  [
    "a poll, though a row waits that can't be answered yet",
    customer(POSTED, { mail: { waiters: [WAITER] } }),
    HOUR,
    "poll",
  ],
  ["the deadline before a poll", customer(INCOMPLETE), 14 * DAY, "deadline"],
  ["a poll", customer(INCOMPLETE), 2_000, "poll"],
  ["the end of the decision's time", customer(POSTED, LATE), HOUR, "decision timeout"],
  ["no end of a decision's time that is over", customer(INCOMPLETE, LATE), HOUR, undefined],
  ["nothing yet", customer(POSTED), 1_999, undefined],
] as const)("due is %s", ([, given, now, expected]) => {
  expect(dueStep(given, DEFAULT_TIMING, now)).toBe(expected);
});

test("of the mail, what is worth a poll is taken; a weaker event stays as a hint, and the rest is dropped", () => {
  const [decision, vault] = [completed("pass"), event("service.vault.updated")];
  const session = { onboardingId: "ob_1", status: "pass", requiresManualReview: false };
  const foreign = { ...session, onboardingId: "ob_2" };
  const events = [vault, decision, event("service.user.bank_link_updated")];
  const taken = newsTaken(customer(POSTED, { mail: { events, sessions: [session, foreign] } }));
  expect(taken).toMatchObject({ events: [decision], sessions: [session] });
  expect(taken.customer).toMatchObject({ mail: { events: [], sessions: [] }, polls: { hints: [vault] } });
});

const OUTCOME = { row: 0, line: 2, attempt: 1, version: 1 };
const step = (change: Partial<CustomerStep>): CustomerStep => ({ ...unstagedStep(PASSED, 2), ...change });

test("refused credentials count their calls and change nothing else", () => {
  const given = customer(POSTED, { progress: { calls: 1 } });
  const { customer: after, record } = afterStep(given, step({ unauthorized: true, outcome: OUTCOME }), false);
  expect(after).toEqual(withProgress(given, { calls: 3 }));
  expect(record).toBeNull();
});

test("another status makes the waits short again, the same one does not", () => {
  const given = customer(POSTED, { polls: { polls: 9, hinted: 2 } });
  expect(afterStep(given, step({}), false).customer.polls).toMatchObject({ polls: 0, hinted: 0 });
  expect(afterStep(given, step({ state: POSTED }), false).customer.polls.polls).toBe(9);
});

test.for<[string, Partial<Customer["progress"]>, boolean, OutcomeRef | null]>([
  ["the first goes to the batch", {}, false, null],
  ["a second one before the batch has the first is written", { first: OUTCOME }, false, OUTCOME],
  ["a later one is written", { told: true }, false, OUTCOME],
  ["one of an onboarding that was posted earlier is written", {}, true, OUTCOME],
])("of outcomes, %s", ([, progress, isReopened, expected]) => {
  const given = customer(POSTED, { progress });
  const { customer: after, record } = afterStep(
    given,
    step({ outcome: OUTCOME, messageHash: "m" }),
    isReopened,
  );
  expect(record).toEqual(expected);
  expect(after.progress).toMatchObject({ recorded: PASSED, messageHash: "m" });
  expect(after.progress.first).toEqual(progress.first ?? (expected === null ? OUTCOME : null));
});

test("a continuation has ended once its time is over and no fresh one waits", () => {
  const state = { ...INCOMPLETE, linkExpiresAt: 1_000 };
  expect(hasLinkEnded(customer(state), 999)).toBe(false);
  expect(hasLinkEnded(customer(state), 1_000)).toBe(true);
  const link = { number: 2, expiresAt: null };
  expect(hasLinkEnded(customer(state, { progress: { link } }), 1_000)).toBe(false);
  expect(hasLinkEnded(customer(INCOMPLETE), 1_000)).toBe(false);
});
