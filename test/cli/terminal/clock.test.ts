import { expect, test } from "vitest";
import { clockTime, timeStamp } from "../../../src/cli/terminal/clock.js";

const at = new Date(2026, 10, 22, 2, 5, 9);

test.for([
  [600_000, "02:05"],
  [599_999, "02:05:09"],
  [0, "02:05:09"],
  [-3_600_000, "02:05"],
] as const)("an instant %i ms away on the clock here", ([away, text]) => {
  expect(clockTime(at, at.getTime() - away)).toBe(text);
});

test("a stamp is the time here with its offset, and the same instant", () => {
  const stamp = timeStamp(at);
  expect(stamp).toMatch(/^2026-11-22T02:05:09[+-]\d\d:\d\d$/);
  expect(Date.parse(stamp)).toBe(at.getTime());
});
