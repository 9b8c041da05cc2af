import { expect, test } from "vitest";
import { refusedAmong } from "../../../../src/activities/sync/page-files/load-pages.js";

test.for([
  [0, []],
  [1, []],
  [1, [0]],
  [9, []],
  [9, [4]],
  [9, [0, 8]],
  [9, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
] as const)("of %s items those that are refused are found: %s", async ([count, bad]) => {
  const items = Array.from({ length: count }, (_, index) => index);
  const isBad = (item: number) => bad.some((index) => index === item);
  expect(await refusedAmong(items, async (some) => !some.some(isBad))).toEqual(bad);
});

test("one bad item among a thousand costs about two dozen tries", async () => {
  let tries = 0;
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  const refused = await refusedAmong(items, async (some) => {
    tries += 1;
    return !some.includes(700);
  });
  expect(refused).toEqual([700]);
  expect(tries).toBeLessThanOrEqual(21);
});
