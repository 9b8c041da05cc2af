import fc from "fast-check";
import { expect, test } from "vitest";
import { sizeOf, splitRanges } from "../../../../src/domain/sync/run/slice-work.js";

const RANGES = [
  { name: "a", from: 0, to: 3 },
  { name: "b", from: 5, to: 7 },
];

test.for([
  [-1, [], RANGES],
  [0, [], RANGES],
  [2, [{ name: "a", from: 0, to: 2 }], [{ name: "a", from: 2, to: 3 }, RANGES[1]]],
  [3, [RANGES[0]], [RANGES[1]]],
  [4, [RANGES[0], { name: "b", from: 5, to: 6 }], [{ name: "b", from: 6, to: 7 }]],
  [9, RANGES, []],
] as const)("the first %s things of some ranges are cut off", ([count, first, rest]) => {
  expect(splitRanges(RANGES, count)).toEqual([first, rest]);
});

test("nothing is lost between the two parts", () => {
  const range = fc.tuple(fc.nat(20), fc.nat(20)).map(([from, size]) => ({ from, to: from + size }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 6 }), fc.nat(60), (ranges, count) => {
      const [first, rest] = splitRanges(ranges, count);
      expect(sizeOf(first)).toBe(Math.min(count, sizeOf(ranges)));
      expect(sizeOf(first) + sizeOf(rest)).toBe(sizeOf(ranges));
    }),
  );
});
