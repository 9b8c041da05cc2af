import { expect, test } from "vitest";
import {
  elapsed,
  type Pace,
  paceWords,
  perSecond,
  timeLeft,
  withSample,
} from "../../../src/cli/terminal/pace.js";

/** The pace after samples of [second, done, amount]. */
function paceAfter(...looks: [number, number, number][]): Pace {
  let pace: Pace | undefined;
  for (const [second, done, amount] of looks) pace = withSample(pace, { at: second * 1_000, done, amount });
  if (pace === undefined) throw new Error("no sample was given");
  return pace;
}

test.for([
  ["after one sample", [[0, 0, 0]], undefined],
  [
    "within the first second",
    [
      [0, 0, 0],
      [0.9, 1, 100],
    ],
    undefined,
  ],
  [
    "over all that was watched",
    [
      [0, 0, 0],
      [1, 1, 100],
      [10, 5, 5_000],
    ],
    500,
  ],
  [
    "from where the command joined",
    [
      [100, 50, 5_000],
      [110, 51, 6_000],
    ],
    100,
  ],
] as [string, [number, number, number][], number | undefined][])("rows a second %s", ([_, looks, rate]) => {
  expect(perSecond(paceAfter(...looks))).toBe(rate);
});

test.for([
  [
    "continues evenly",
    [
      [0, 0, 0],
      [20, 10, 10],
    ],
    100,
    180,
  ],
  [
    "has just begun",
    [
      [0, 0, 0],
      [14, 50, 50],
    ],
    100,
    undefined,
  ],
  [
    "has done four things",
    [
      [0, 0, 0],
      [60, 4, 4],
    ],
    10,
    undefined,
  ],
  [
    "has done a twentieth less one",
    [
      [0, 0, 0],
      [60, 49, 49],
    ],
    1_000,
    undefined,
  ],
  [
    "has not gone on for long",
    [
      [0, 0, 0],
      [20, 50, 50],
      [170, 50, 50],
    ],
    100,
    undefined,
  ],
  [
    "has gone on lately",
    [
      [0, 0, 0],
      [20, 50, 50],
      [169, 50, 50],
    ],
    100,
    169,
  ],
] as [string, [number, number, number][], number, number | undefined][])(
  "an estimate of what %s",
  ([_, looks, all, seconds]) => {
    expect(timeLeft(paceAfter(...looks), all)).toBe(seconds === undefined ? undefined : seconds * 1_000);
  },
);

test.for([
  [0, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [125 * 60_000, "2 h 5 min"],
] as const)("%i ms are %s", ([ms, words]) => {
  expect(elapsed(ms)).toBe(words);
});

test.for([
  [[[0, 0, 0]], 100, []],
  [
    [
      [0, 0, 0],
      [20, 50, 100],
    ],
    100,
    ["5.0 rows/s", "1 min left"],
  ],
  [
    [
      [0, 0, 0],
      [20, 10, 16_240],
    ],
    100,
    ["812 rows/s", "3 min left"],
  ],
  [
    [
      [0, 0, 0],
      [3_600, 100, 100_000],
    ],
    350,
    ["28 rows/s", "2 h 30 min left"],
  ],
] as [[number, number, number][], number, string[]][])("%o of %i in words", ([looks, all, words]) => {
  const { rate, left } = paceWords(paceAfter(...looks), "rows", all);
  expect([...rate, ...left]).toEqual(words);
});
