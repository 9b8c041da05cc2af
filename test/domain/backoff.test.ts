import fc from "fast-check";
import { expect, test } from "vitest";
import { afterTransient, backoffMs, GIVE_UP_AFTER_MS, LONGEST_WAIT_MS } from "../../src/domain/backoff.js";

test.for([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [3, 2_000, 4_000],
  [10, 256_000, 512_000],
  [11, LONGEST_WAIT_MS / 2, LONGEST_WAIT_MS],
  [1_000, LONGEST_WAIT_MS / 2, LONGEST_WAIT_MS],
] as const)("failure %i waits from %i to %i ms", ([failures, least, most]) => {
  expect(backoffMs(failures, 0)).toBe(least);
  expect(backoffMs(failures, 0.999999)).toBe(most);
});

test("a wait is never shorter than the own one, nor longer than what is asked for within the cap", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.option(fc.nat(10_000_000)),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (count, retryAfterMs, jitter) => {
        const streak = count === 0 ? null : { count, since: 0 };
        const verdict = afterTransient(streak, 1_000, retryAfterMs, jitter);
        if (verdict.kind !== "wait") throw new Error("gave up within a second");
        const wait = verdict.notBefore - 1_000;
        const asked = Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS);
        expect(wait).toBe(Math.max(backoffMs(count + 1, jitter), asked));
        expect(verdict.streak).toEqual({ count: count + 1, since: count === 0 ? 1_000 : 0 });
      },
    ),
  );
});

test("gives up an hour after the first failure, not before", () => {
  const streak = { count: 5, since: 1_000 };
  expect(afterTransient(streak, 1_000 + GIVE_UP_AFTER_MS - 1, null, 0).kind).toBe("wait");
  expect(afterTransient(streak, 1_000 + GIVE_UP_AFTER_MS, null, 0).kind).toBe("give_up");
});
