import { expect, test } from "vitest";
import type { CustomerState } from "../../../../src/domain/onboarding/customer/customer-state.js";
import {
  dueAt,
  dueStep,
  hasLinkEnded,
  isOutputAwaited,
  mailAfter,
  NO_MAIL,
  newsTaken,
  type OpenCustomer,
  openCustomer,
  waitedUntil,
  withEvent,
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

test("a webhook that comes twice is kept once, also after it was read", () => {
  const mail = withEvent(NO_MAIL, completed("pass"));
  expect(withEvent(mail, completed("fail"))).toBe(mail);
  expect(withEvent({ ...mail, events: [] }, completed("pass")).events).toEqual([]);
});

test("only the last five hundred ids are remembered", () => {
  const events = Array.from({ length: 600 }, (_, n) => ({ ...completed("pass"), messageId: `msg_${n}` }));
  const { seen } = events.reduce(withEvent, NO_MAIL);
  expect(seen).toHaveLength(500);
  expect(seen.at(-1)).toBe("msg_599");
});

test("validations of sessions are all kept: they have no id", () => {
  const session = { ...completed("pass"), kind: VALIDATED, messageId: null } as const;
  expect([session, session].reduce(withEvent, NO_MAIL)).toMatchObject({
    events: [session, session],
    seen: [],
  });
});

test("what came while a step was under way stays, behind what the step left", () => {
  const given = withEvent(NO_MAIL, completed("pass"));
  const now = withEvent(given, { ...completed("fail"), messageId: "msg_2" });
  const after = mailAfter({ ...given, events: [] }, now, given.events.length);
  expect(after).toMatchObject({ events: [{ messageId: "msg_2" }], seen: ["msg_1", "msg_2"] });
});
