import { expect, test } from "vitest";
import { LookPlan, type LooksSoFar } from "../../../../src/domain/onboarding/customer/poll-schedule.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { event, INCOMPLETE, POSTED } from "../../../helpers/onboarding/customer-states.js";

const HINT = event("service.vault.updated", { onboardingId: null });
const MINUTE = 60_000;
const plan = (change: Partial<LooksSoFar> = {}) =>
  new LookPlan(DEFAULT_TIMING, { looks: 0, hinted: 0, lookedAt: 1_000_000, hints: [], ...change });
/** Milliseconds from the last look to the next. */
const wait = (given: LookPlan, course = INCOMPLETE) => given.next(course) - given.sofar.lookedAt;

test.for([
  ["the first hint", { looks: 30 }, 0],
  ["the second", { looks: 30, hinted: 1 }, 2_000],
  ["the third", { looks: 30, hinted: 2 }, 4_000],
  ["the thousandth", { looks: 2_000, hinted: 1_000 }, 5 * MINUTE],
  ["one before a poll that comes earlier anyway", { looks: 0, hinted: 8 }, 2_000],
] as const)("%s brings the next look forward, the more seldom the more there were", ([, sofar, expected]) => {
  const looks = plan(sofar);
  looks.hint(HINT);
  expect(wait(looks)).toBe(expected);
});

test("a look takes the hints along, and waits for the next one as without them", () => {
  const looks = plan({ looks: 3 });
  looks.hint(HINT);
  expect(looks.begin(2_000_000)).toEqual([HINT]);
  expect(looks.sofar).toEqual({ looks: 4, hinted: 1, lookedAt: 2_000_000, hints: [] });
  expect(wait(looks)).toBe(32_000);
  expect(looks.begin(3_000_000)).toEqual([]);
  expect(looks.sofar.hinted).toBe(1);
});

test("another status begins the waits anew", () => {
  const looks = plan({ looks: 9, hinted: 9 });
  looks.restart();
  expect(wait(looks, POSTED)).toBe(2_000);
});

test("thousands of hints are kept as twenty", () => {
  const looks = plan();
  for (let n = 0; n < 5_000; n += 1) looks.hint({ ...HINT, messageId: `msg_${n}` });
  expect(looks.sofar.hints.map(({ messageId }) => messageId).slice(-2)).toEqual(["msg_4998", "msg_4999"]);
  expect(looks.sofar.hints).toHaveLength(20);
});

test.for([
  ["well before its end, ten minutes before it", 60 * MINUTE, 50 * MINUTE],
  ["in its last minutes, at its end", 5 * MINUTE, 5 * MINUTE],
  ["after its end, as ever", -MINUTE, 0],
] as const)("a link that is good for long: looked at %s", ([, goodFor, expected]) => {
  const looks = plan({ looks: 30 });
  const course = { ...INCOMPLETE, linkExpiresAt: looks.sofar.lookedAt + goodFor };
  expect(wait(looks, course)).toBe(expected);
});
