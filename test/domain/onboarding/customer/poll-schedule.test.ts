import { expect, test } from "vitest";
import { PollSchedule, type PollsSoFar } from "../../../../src/domain/onboarding/customer/poll-schedule.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { event, INCOMPLETE, POSTED } from "../../../helpers/onboarding/customer-states.js";

const HINT = event("service.vault.updated", { onboardingId: null });
const MINUTE = 60_000;
const plan = (change: Partial<PollsSoFar> = {}) =>
  new PollSchedule(DEFAULT_TIMING, { polls: 0, hinted: 0, polledAt: 1_000_000, hints: [], ...change });
/** Milliseconds from the last poll to the next. */
const wait = (given: PollSchedule, state = INCOMPLETE) => given.next(state) - given.sofar.polledAt;

test.for([
  ["the first hint", { polls: 30 }, 0],
  ["the second", { polls: 30, hinted: 1 }, 2_000],
  ["the third", { polls: 30, hinted: 2 }, 4_000],
  ["the thousandth", { polls: 2_000, hinted: 1_000 }, 5 * MINUTE],
  ["one before a poll that comes earlier anyway", { polls: 0, hinted: 8 }, 2_000],
] as const)("%s brings the next look forward, the more seldom the more there were", ([, sofar, expected]) => {
  const polls = plan(sofar);
  polls.hint(HINT);
  expect(wait(polls)).toBe(expected);
});

test("a look takes the hints along, and waits for the next one as without them", () => {
  const polls = plan({ polls: 3 });
  polls.hint(HINT);
  expect(polls.begin(2_000_000)).toEqual([HINT]);
  expect(polls.sofar).toEqual({ polls: 4, hinted: 1, polledAt: 2_000_000, hints: [] });
  expect(wait(polls)).toBe(32_000);
  expect(polls.begin(3_000_000)).toEqual([]);
  expect(polls.sofar.hinted).toBe(1);
});

test("another status begins the waits anew", () => {
  const polls = plan({ polls: 9, hinted: 9 });
  polls.restart();
  expect(wait(polls, POSTED)).toBe(2_000);
});

test("thousands of hints are kept as twenty", () => {
  const polls = plan();
  for (let n = 0; n < 5_000; n += 1) polls.hint({ ...HINT, messageId: `msg_${n}` });
  expect(polls.sofar.hints.map(({ messageId }) => messageId).slice(-2)).toEqual(["msg_4998", "msg_4999"]);
  expect(polls.sofar.hints).toHaveLength(20);
});

test.for([
  ["well before its end, ten minutes before it", 60 * MINUTE, 50 * MINUTE],
  ["in its last minutes, at its end", 5 * MINUTE, 5 * MINUTE],
  ["after its end, as ever", -MINUTE, 0],
] as const)("a link that is good for long: looked at %s", ([, goodFor, expected]) => {
  const polls = plan({ polls: 30 });
  const state = { ...INCOMPLETE, linkExpiresAt: polls.sofar.polledAt + goodFor };
  expect(wait(polls, state)).toBe(expected);
});
