import { expect, test } from "vitest";
import { durationWords } from "../../src/domain/duration.js";

test.each([
  [0, "0s"],
  [412, "0.4s"],
  [12_400, "12s"],
  [59_600, "1m"],
  [5_000, "5s"],
  [252_000, "4m12s"],
  [7_500_000, "2h05m"],
  [21_600_000, "6h"],
  [36_000_000 * 10, "4d04h"],
  [273_600_000, "3d04h"],
])("%d ms are %s", (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

test("a duration in all of its units is exact", () => {
  expect(durationWords(91_805_000, 4)).toBe("1d01h30m05s");
  expect(durationWords(90_000_000, 4)).toBe("1d01h");
});
