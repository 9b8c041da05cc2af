import { expect, test } from "vitest";
import { HOUR } from "../../../src/domain/duration.js";
import {
  parseTimesOfDay,
  type TimingFlags,
  timingOf,
  timingWords,
} from "../../../src/domain/schedules/timing.js";

test.each([
  ["02:15", [[2, 15]]],
  [
    "2:05, 14:15",
    [
      [2, 5],
      [14, 15],
    ],
  ],
  ["23:59", [[23, 59]]],
  ["24:00", undefined],
  ["2:5", undefined],
  ["02:60", undefined],
  ["", undefined],
  ["02:15,", undefined],
])("the times of day %j", (text, times) => {
  expect(parseTimesOfDay(text)?.map(({ hour, minute }) => [hour, minute])).toEqual(times);
});

const at = [{ hour: 2, minute: 15 }];

test.each<[TimingFlags, string]>([
  [{ at }, "at 02:15 UTC"],
  [{ at, timezone: "Europe/Prague", jitter: 600_000 }, "at 02:15 Europe/Prague, up to 10m later"],
  [{ cron: "15 2 * * 1-5" }, "cron 15 2 * * 1-5 UTC"],
  [{ cron: "@daily" }, "cron @daily UTC"],
  [{ every: 6 * HOUR }, "every 6h"],
  [{ every: 48 * HOUR }, "every 2d"],
  [{ every: 90_000 }, "every 90s"],
  [{ every: 91_805_000 }, "every 91805s"],
])("a schedule of %j is told as %j", (flags, words) => {
  expect(timingWords(timingOf(flags))).toBe(words);
});

test.each<[TimingFlags, RegExp]>([
  [{}, /--at 03:15, --cron/],
  [{ at, every: HOUR }, /Give one of them/],
  [{ at, timezone: "Mars/Olympus" }, /--timezone Mars\/Olympus/],
  [{ cron: "15 2 * *" }, /five fields/],
  [{ cron: "15 2 * * *; rm" }, /five fields/],
])("%j is refused", (flags, words) => {
  expect(() => timingOf(flags)).toThrow(words);
});
