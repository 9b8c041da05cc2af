import { expect, test } from "vitest";
import { inParts } from "../../src/lake/parts.js";

async function partsOf(sizes: readonly number[], most: { count: number; bytes: number }) {
  const parts: number[][] = [];
  for await (const part of inParts(sizes, most, (size) => size)) parts.push(part);
  return parts;
}

const MANY = { count: 100, bytes: 10 };

test("a part ends before the value that would make it too long", async () => {
  expect(await partsOf([4, 6, 1, 9, 1], MANY)).toEqual([[4, 6], [1, 9], [1]]);
  expect(await partsOf([5, 6, 5], MANY)).toEqual([[5], [6], [5]]);
});

test("a value longer than the bound is alone", async () => {
  expect(await partsOf([1, 11, 1, 1], MANY)).toEqual([[1], [11], [1, 1]]);
  expect(await partsOf([30], MANY)).toEqual([[30]]);
});

test("a part has no more values than its count, however short they are", async () => {
  expect(await partsOf([0, 0, 0, 0, 0], { count: 2, bytes: 10 })).toEqual([[0, 0], [0, 0], [0]]);
  expect(await partsOf([0, 0], { count: 2, bytes: 10 })).toEqual([[0, 0]]);
});

test("nothing makes no part", async () => {
  expect(await partsOf([], MANY)).toEqual([]);
});
