import { expect, test } from "vitest";
import type { CustomerState } from "../../../../src/domain/onboarding/customer/customer-state.js";
import {
  afterStep,
  type CustomerStep,
  dueAt,
  dueStep,
  hasLinkEnded,
  isOutputAwaited,
  newsTaken,
  type OpenCustomer,
  openCustomer,
  waitedUntil,
} from "../../../../src/domain/onboarding/customer/open-customer.js";
import { VALIDATED } from "../../../../src/domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import {
  completed,
  event,
  FIRST_INPUT,
  IN_REVIEW,
  INCOMPLETE,
  PASSED,
  POSTED,
  UNSAID,
} from "../../../helpers/onboarding/customer-states.js";
import { customer as customerRow, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;

interface Change extends Partial<Omit<OpenCustomer, "mail" | "polls">> {
  readonly mail?: Partial<OpenCustomer["mail"]>;
  readonly polls?: Partial<OpenCustomer["polls"]>;
}

const customer = (state: CustomerState, { mail, polls, ...change }: Change = {}): OpenCustomer => {
  const begun = openCustomer(FIRST_INPUT, 0);
  return {
    ...{ ...begun, state },
    mail: { ...begun.mail, ...mail },
    polls: { ...begun.polls, ...polls },
    ...change,
  };
};

test.for([
  ["a poll, soon", POSTED, 0, 2_000],
  ["the time that a decision may take", POSTED, 30, 300_000],
  ["a poll of those who wait for people", INCOMPLETE, 30, 6 * HOUR],
] as const)("a customer wakes for %s", ([, state, polls, expected]) => {
  expect(dueAt(customer(state, { polls: { polls } }))).toBe(expected);
});

test("a customer wakes for the deadline and for the end of the decision's time, whatever the next poll is", () => {
  const polls = { polledAt: 20 * DAY };
  expect(dueAt(customer(INCOMPLETE, { polls }))).toBe(14 * DAY);
  expect(dueAt(customer(POSTED, { polls }))).toBe(HOUR);
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
  ["the deadline before a poll", customer(INCOMPLETE), 14 * DAY, "deadline"],
  ["a poll", customer(INCOMPLETE), 2_000, "poll"],
  ["the end of the decision's time", customer(POSTED, LATE), HOUR, "decision timeout"],
  ["no end of a decision's time that is over", customer(INCOMPLETE, LATE), HOUR, undefined],
  ["nothing yet", customer(POSTED), 1_999, undefined],
] as const)("due is %s", ([, given, now, expected]) => {
  expect(dueStep(given, now)).toBe(expected);
});

test("of the mail, what is worth a poll is taken; a weaker event stays as a hint, and the rest is dropped", () => {
  const [decision, vault] = [completed("pass"), event("service.vault.updated")];
  const session = { ...decision, kind: VALIDATED, messageId: null } as const;
  const foreign = { ...session, onboardingId: "ob_2" };
  const events = [vault, decision, event("service.user.bank_link_updated"), session, foreign];
  const taken = newsTaken(customer(POSTED, { mail: { events } }));
  expect(taken.news).toEqual([decision, session]);
  expect(taken.left).toMatchObject({ mail: { events: [] }, polls: { hints: [vault] } });
});

const OUTCOME = outcomeOf(customerRow(2));
const step = (change: Partial<CustomerStep>): CustomerStep => ({
  ...{ state: PASSED, calls: 2, answer_bytes: 90 },
  ...change,
});

test("refused credentials count their calls and change nothing else", () => {
  const given = customer(POSTED, { calls: 1, answer_bytes: 10 });
  const one = afterStep(given, step({ unauthorized: true, outcome: OUTCOME }));
  expect(one).toEqual({ ...given, calls: 3, answer_bytes: 100 });
});

test("another status makes the waits short again, the same one does not", () => {
  const given = customer(POSTED, { polls: { polls: 9, hinted: 2 } });
  expect(afterStep(given, step({})).polls).toMatchObject({ polls: 0, hinted: 0 });
  expect(afterStep(given, step({ state: POSTED })).polls.polls).toBe(9);
});

test.for([
  ["whose review nobody has said: as long as a webhook has to say it", UNSAID, MINUTE],
  ["in review: until its deadline", IN_REVIEW, 14 * DAY],
] as const)("a decision is waited for, %s", ([, state, expected]) => {
  expect(waitedUntil(customer(POSTED), state, 0)).toBe(expected);
  expect(waitedUntil(customer(POSTED, { deadline: 1_000 }), state, 0)).toBe(1_000);
});

test("a continuation has ended once its time is over and no fresh one waits", () => {
  const state = { ...INCOMPLETE, linkExpiresAt: 1_000 };
  expect(hasLinkEnded(customer(state), 999)).toBe(false);
  expect(hasLinkEnded(customer(state), 1_000)).toBe(true);
  const link = { number: 2, expiresAt: null };
  expect(hasLinkEnded(customer(state, { link }), 1_000)).toBe(false);
  expect(hasLinkEnded(customer(INCOMPLETE), 1_000)).toBe(false);
});

test.for([
  ["a decision without one", FIRST_INPUT, PASSED, true],
  ["no decision", FIRST_INPUT, POSTED, false],
  ["a playbook without outputs", { ...FIRST_INPUT, outputExpected: false }, PASSED, false],
  ["no poll for it", { ...FIRST_INPUT, timing: { ...DEFAULT_TIMING, outputRetry: null } }, PASSED, false],
] as const)("an output is awaited: %s", ([, input, state, expected]) => {
  expect(isOutputAwaited(customer(state, { input }))).toBe(expected);
  expect(isOutputAwaited(customer(state, { input, outputPolled: true }))).toBe(false);
  expect(isOutputAwaited(customer(state, { input, stopped: true }))).toBe(false);
});
