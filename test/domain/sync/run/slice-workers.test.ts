import { expect, test } from "vitest";
import { SliceWorkers } from "../../../../src/domain/sync/run/slice-workers.js";

// With three slices for two workers, one of them has none for a while; with five it was one time in sixteen.
test.each([
  ["before any has ended", [], 3],
  ["of a run with one worker, which says no name", [undefined, undefined], 3],
  ["of one of several workers", ["a"], 3],
  ["of two", ["a", "b"], 6],
  ["of three", ["a", "b", "c"], 9],
  ["of two, one of which is slow", ["a", "b", "a", "a", "a", "a", "a", "a"], 6],
  ["of one whose neighbour is gone", ["a", "b", ...Array(8).fill("a")], 3],
  ["of two again", ["a", "b", ...Array(8).fill("a"), "b"], 6],
] as const)("slices at once %s", (_, ended, slices) => {
  const workers = new SliceWorkers();
  for (const worker of ended) workers.ended(worker);
  expect(workers.slicesAtOnce).toBe(slices);
  expect(workers.isKnown).toBe(ended.length > 0);
});
