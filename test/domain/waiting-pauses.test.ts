import { expect, test } from "vitest";
import { NO_PAUSES, pausedMs, withPause } from "../../src/domain/waiting.js";

test("a pause counts once, however many parts report it and how often, and a longer one counts what it adds", () => {
  const told: readonly (readonly [number, number | null])[] = [
    [1_000, null],
    [1_000, 11_000],
    [1_500, 11_000],
    [4_000, 9_000],
    [5_000, 16_000],
    [60_000, 61_000],
  ];
  expect(told.reduce((pauses, [at, until]) => withPause(pauses, at, until), NO_PAUSES)).toEqual({
    ms: 16_000,
    until: 61_000,
  });
});

test("a run that ends in a pause has waited until its end, and one that ends later for all of it", () => {
  const pauses = withPause(withPause(NO_PAUSES, 1_000, 3_000), 10_000, 610_000);
  expect([10_000, 25_000, 610_000, 700_000].map((at) => pausedMs(pauses, at))).toEqual([
    ...[2_000, 17_000, 602_000, 602_000],
  ]);
});
