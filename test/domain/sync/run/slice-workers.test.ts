import { expect, test } from "vitest";
import { SliceWorkers } from "../../../../src/domain/sync/run/slice-workers.js";

// With three slices for two workers, one of them makes no calls while its slice ends and the next begins.
test.each([
  ["before any has ended", [], 3],
  ["of a run with one worker, which says no name", [undefined, undefined], 3],
  ["of one of several workers", ["a"], 3],
  ["of two", ["a", "b"], 5],
  ["of three", ["a", "b", "c"], 7],
  ["of two, one of which is slow", ["a", "b", "a", "a", "a", "a", "a", "a"], 5],
  ["of one whose neighbour is gone", ["a", "b", ...Array(8).fill("a")], 3],
  ["of two again", ["a", "b", ...Array(8).fill("a"), "b"], 5],
] as const)("slices at once %s", (_, ended, slices) => {
  const workers = new SliceWorkers();
  for (const worker of ended) workers.ended(worker);
  expect(workers.slicesAtOnce).toBe(slices);
});
