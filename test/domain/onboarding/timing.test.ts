import { expect, test } from "vitest";
import { pollWaitMs } from "../../../src/domain/onboarding/customer/poll-schedule.js";
import { DEFAULT_TIMING } from "../../../src/domain/onboarding/timing.js";

test.for([
  ["machine", 0, 2_000],
  ["machine", 1, 4_000],
  ["machine", 5, 64_000],
  ["machine", 9, 300_000],
  ["people", 9, 1_024_000],
  ["people", 1_000, 21_600_000],
] as const)("%s, after %i polls: %i ms", ([phase, polls, expected]) => {
  expect(pollWaitMs(DEFAULT_TIMING, phase, polls)).toBe(expected);
});
