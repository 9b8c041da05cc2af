import { expect, test } from "vitest";
import { durationText, durationWords, parseDuration } from "../../src/domain/duration.js";

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

test("of clocks that disagree, less than no time is none", () => {
  expect(durationWords(-1_000)).toBe("0s");
});

test.each(["36h", "90m", "91805s", "2d", "1h", "3650d"])(
  "a duration of %s is written as it is read",
  (text) => {
    expect(durationText(parseDuration(text) ?? 0)).toBe(text);
  },
);

test.each(["3651d", "0d", "1.5d", "14", "14 d", "-1d"])("%s is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
