import fc from "fast-check";
import { expect, test } from "vitest";
import {
  afterTransient,
  backoffMs,
  type FailureStreak,
  SERVICE_RETRY,
  STEP_RETRY,
  triesOf,
  USELESS_ANSWER,
  USELESS_RETRY,
} from "../../src/domain/backoff.js";

const OUTAGE = { reason: "http_503", retryAfterMs: null };
const USELESS = { reason: USELESS_ANSWER, retryAfterMs: null };

test.for([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [3, 2_000, 4_000],
  [10, 256_000, 512_000],
  [11, SERVICE_RETRY.longest / 2, SERVICE_RETRY.longest],
  [1_000, SERVICE_RETRY.longest / 2, SERVICE_RETRY.longest],
] as const)("failure %i waits from %i to %i ms", ([failures, least, most]) => {
  expect(backoffMs(failures, 0)).toBe(least);
  expect(backoffMs(failures, 0.999999)).toBe(most);
});

test.for([
  ["steps that throw", STEP_RETRY, 125],
  ["useless answers", USELESS_RETRY, 5],
  ["half a minute", { first: 1_000, longest: 30_000, until: 31_000 }, 6],
  ["for ever", { ...STEP_RETRY, until: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY],
] as const)("the waits between the tries of %s take as long as it says", ([_, policy, tries]) => {
  expect(triesOf(policy)).toBe(tries);
});

test("a wait is never shorter than the own one, nor longer than what is asked for within the hour", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.option(fc.nat(SERVICE_RETRY.until)),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (count, retryAfterMs, jitter) => {
        const streak = count === 0 ? null : { count, since: 0 };
        const verdict = afterTransient(streak, 1_000, { reason: "timeout", retryAfterMs }, jitter);
        if (typeof verdict === "string") throw new Error("gave up within a second");
        const wait = verdict.notBefore - 1_000;
        expect(wait).toBe(Math.max(backoffMs(count + 1, jitter), retryAfterMs ?? 0));
        expect(verdict.streak).toEqual({ count: count + 1, since: count === 0 ? 1_000 : 0 });
      },
    ),
  );
});

test("gives up at once, with the end in its reason, where the service asks for more than an hour", () => {
  const at = Date.UTC(2026, 10, 28, 2);
  const day = { reason: "http_429", retryAfterMs: 24 * SERVICE_RETRY.until };
  const reason = "gave_up http_429 until 2026-11-29T02:00Z";
  expect(afterTransient(null, at, day, 0)).toBe(reason);
});

test("gives up an hour after the first failure, not before", () => {
  const streak = { count: 5, since: 1_000 };
  expect(afterTransient(streak, 1_000 + SERVICE_RETRY.until - 1, OUTAGE, 0)).toBeTypeOf("object");
  expect(afterTransient(streak, 1_000 + SERVICE_RETRY.until, OUTAGE, 0)).toBe("gave_up http_503");
});

/** The waits of outcomes that come one right after the other, until one gives up. */
function waits(outcomes: readonly (typeof OUTAGE)[]): (number | "give_up")[] {
  let streak: FailureStreak | null = null;
  let at = 1_000;
  return outcomes.map((outcome) => {
    const verdict = afterTransient(streak, at, outcome, 1);
    if (typeof verdict === "string") return "give_up";
    const wait = verdict.notBefore - at;
    ({ streak, notBefore: at } = verdict);
    return wait;
  });
}

test("the fifth useless answer in a row is the last; one after an outage is the first", () => {
  const few = [8_000, 16_000, 32_000, 64_000];
  expect(waits(Array(5).fill(USELESS))).toEqual([...few, "give_up"]);
  const outage = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
  expect(waits([...Array(6).fill(OUTAGE), USELESS, USELESS])).toEqual([...outage, 8_000, 16_000]);
  const partial = { ...USELESS, reason: "not_promised" };
  expect(waits([USELESS, partial, OUTAGE, USELESS])).toEqual([8_000, 16_000, 4_000, 8_000]);
});
