import { expect, test } from "vitest";
import { durationWords } from "../../src/domain/duration.js";

test.each([
  [0, "0.0s"],
  [412, "0.4s"],
  [12_400, "12s"],
  [59_600, "1m00s"],
  [252_000, "4m12s"],
  [7_500_000, "2h05m"],
  [273_600_000, "3d04h"],
])("%d ms are %s", (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});
