import { expect, test } from "vitest";
import {
  beginPolls,
  nextPoll,
  type PollsSoFar,
  withHint,
  withPoll,
} from "../../../../src/domain/onboarding/customer/poll-schedule.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { event, INCOMPLETE, POSTED, UNSAID } from "../../../helpers/onboarding/customer-states.js";

const HINT = event("service.vault.updated", { onboardingId: null });
const MINUTE = 60_000;
const sofar = (change: Partial<PollsSoFar> = {}): PollsSoFar => ({
  polls: 0,
  hinted: 0,
  polledAt: 1_000_000,
  hints: [],
  ...change,
});
/** Milliseconds from the last poll to the next. */
const wait = (polls: PollsSoFar, state = INCOMPLETE) =>
  nextPoll(polls, DEFAULT_TIMING, state) - polls.polledAt;

test.for([
  ["the first hint", { polls: 30 }, 0],
  ["the second", { polls: 30, hinted: 1 }, 2_000],
  ["the third", { polls: 30, hinted: 2 }, 4_000],
  ["the thousandth", { polls: 2_000, hinted: 1_000 }, 5 * MINUTE],
  ["one before a poll that comes earlier anyway", { polls: 0, hinted: 8 }, 2_000],
] as const)("%s brings the next poll forward, the more seldom the more there were", ([, known, expected]) => {
  expect(wait(withHint(sofar(known), HINT))).toBe(expected);
});

test("a poll takes the hints along, and the next one waits as without them", () => {
  const polled = withPoll(withHint(sofar({ polls: 3 }), HINT), 2_000_000);
  expect(polled).toEqual({ polls: 4, hinted: 1, polledAt: 2_000_000, hints: [] });
  expect(wait(polled)).toBe(32_000);
  expect(withPoll(polled, 3_000_000).hinted).toBe(1);
});

test("after another status the waits are short again", () => {
  expect(wait(withPoll(sofar({ polls: 9, hinted: 9 }), 1_000_000, true), POSTED)).toBe(2_000);
});

test("a decision of which nobody has said the review is polled once more, when a webhook has had its time", () => {
  const due = wait(sofar({ polls: 0 }), UNSAID);
  expect(due).toBeGreaterThanOrEqual(MINUTE);
  expect(due).toBeLessThanOrEqual((MINUTE * 17) / 16);
});

test("thousands of hints are kept as twenty", () => {
  const hints = Array.from({ length: 5_000 }, (_, n) => ({ ...HINT, messageId: `msg_${n}` }));
  const kept = hints.reduce(withHint, sofar()).hints.map(({ messageId }) => messageId);
  expect(kept.slice(-2)).toEqual(["msg_4998", "msg_4999"]);
  expect(kept).toHaveLength(20);
});

test.for([
  ["well before its end, ten minutes before it", 60 * MINUTE, 50 * MINUTE],
  ["in its last minutes, at its end", 5 * MINUTE, 5 * MINUTE],
  ["after its end, as ever", -MINUTE, 0],
] as const)("a continuation that is valid for long: polled %s", ([, goodFor, expected]) => {
  const polls = sofar({ polls: 30 });
  expect(wait(polls, { ...INCOMPLETE, linkExpiresAt: polls.polledAt + goodFor })).toBe(expected);
});

test("long waits of rows that were polled at different times end together; short ones and links that expire don't wait", () => {
  const at = (polledAt: number, polls: number, state = INCOMPLETE) =>
    nextPoll({ ...beginPolls(polledAt), polls }, DEFAULT_TIMING, state);
  const hour = 3_600_000;
  expect(at(1, 30)).toBe(at(1_000_000, 30));
  expect(at(1, 30)).toBeGreaterThan(6 * hour);
  expect(at(1, 30)).toBeLessThanOrEqual(1 + (6 * hour * 17) / 16);
  expect(at(1, 0)).toBe(2_001);
  expect(at(1, 30, { ...INCOMPLETE, linkExpiresAt: hour })).toBe(hour - DEFAULT_TIMING.linkMargin);
});
