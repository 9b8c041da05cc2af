import { expect, test } from "vitest";
import { parseDuration } from "../../../src/domain/duration.js";
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

test.for([
  ["14d", 1_209_600_000],
  ["36h", 129_600_000],
  ["90m", 5_400_000],
  ["30s", 30_000],
  ["3650d", 315_360_000_000],
  ["3651d", undefined],
  ["999999d", undefined],
  ["0d", undefined],
  ["1.5d", undefined],
  ["14", undefined],
  ["14 d", undefined],
  ["-1d", undefined],
] as const)("duration %s", ([text, expected]) => {
  expect(parseDuration(text)).toBe(expected);
});
