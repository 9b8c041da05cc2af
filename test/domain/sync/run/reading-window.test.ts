import { expect, test } from "vitest";
import { knownDay, windowStart } from "../../../../src/domain/sync/run/reading-window.js";

test.each([
  [["2026-11-20"], 30, "2026-10-21"],
  [["2026-03-01"], 1, "2026-02-28"],
  [["2026-11-20", "2026-11-01"], 5, "2026-10-27"],
  [["2026-11-20", null], 5, null],
  [[null], 5, null],
  [["2027-11-23"], 30, "2026-10-25"],
])("what is known until %j is read from %i days before: %s", (known, lookback, from) => {
  expect(windowStart(known, lookback, "2026-11-24")).toBe(from);
});

test.each([
  ["2026-11-19", "2026-11-19"],
  ["2027-01-01", "2026-11-20"],
  [undefined, null],
])("a list whose newest row is of %s is known until %s", (newest, until) => {
  expect(knownDay(newest, "2026-11-20")).toBe(until);
});
