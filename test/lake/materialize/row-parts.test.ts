import { expect, test } from "vitest";
import { inHalves, rowParts } from "../../../src/lake/materialize/row-parts.js";

const OUT_OF_MEMORY = new Error("Out of Memory Error: failed to allocate data");

test.each([
  [0, 10, 1],
  [10, 10, 1],
  [11, 10, 2],
  [95, 10, 10],
])("%i rows, at most %i at once, are %i parts", (rows, most, parts) => {
  const found = rowParts(rows, most);
  expect(found.map(({ part }) => part)).toEqual([...Array(parts).keys()]);
  expect(found.every((one) => one.parts === parts && one.rows <= most)).toBe(true);
});

/** Works on a part of a hundred thousand rows; gives the keys below 24 that were worked on. */
async function keysWorkedOn(mostRows: number): Promise<number[]> {
  const keys = await inHalves({ rows: 100_000, parts: 3, part: 1 }, async ({ rows, parts, part }) => {
    if (rows > mostRows) throw OUT_OF_MEMORY;
    return [...Array(24).keys()].filter((key) => key % parts === part);
  });
  return keys.flat().sort((a, b) => a - b);
}

test("a part that is too large for memory is worked on in halves, each key once", async () => {
  const keys = [...Array(24).keys()].filter((key) => key % 3 === 1);
  expect(await keysWorkedOn(100_000)).toEqual(keys);
  expect(await keysWorkedOn(50_000)).toEqual(keys);
  expect(await keysWorkedOn(13_000)).toEqual(keys);
});

test("parts of a few rows are not split further, and other errors not at all", async () => {
  await expect(keysWorkedOn(1_000)).rejects.toBe(OUT_OF_MEMORY);
  const broken = new Error("disk gone");
  const asked: number[] = [];
  const work = async ({ rows }: { rows: number }) => {
    asked.push(rows);
    throw broken;
  };
  await expect(inHalves({ rows: 100_000, parts: 1, part: 0 }, work)).rejects.toBe(broken);
  expect(asked).toEqual([100_000]);
});
