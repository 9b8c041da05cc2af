import { afterEach, beforeEach, expect, test } from "vitest";
import { StagingLostError } from "../../../src/domain/failures.js";
import { KeptResults, keptResults, type StagedResult } from "../../../src/lake/bulk/bulk-staging.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const KEY = "_staging/job/results/0-x";
const MB = 1024 * 1024;

let lake: TestLake;
let sealed: SealedStore;
beforeEach(async () => {
  lake = await openTestLake();
  sealed = new SealedStore(lake.store, createSealer(TEST_KEYS));
});
afterEach(() => lake.release());

async function read(): Promise<StagedResult[]> {
  const found: StagedResult[] = [];
  for await (const one of keptResults(sealed, KEY)) found.push(one);
  return found;
}

async function keep(results: readonly StagedResult[]): Promise<boolean> {
  const kept = new KeptResults(sealed, KEY);
  await Promise.all(results.map((one) => kept.add(one)));
  return kept.end();
}

const resultsOf = (...sizes: readonly number[]) =>
  sizes.map((size, item) => ({ item, result: { json: "x".repeat(size) } }));

test.for([
  [1, [1, 2, 3]],
  [2, [8 * MB]],
  [3, [5 * MB, 5 * MB, 5 * MB, 5 * MB]],
  [3, [9 * MB, 9 * MB, 1]],
] as const)("results come back from %d objects", async ([objects, sizes]) => {
  const results = resultsOf(...sizes);
  expect(await keep(results)).toBe(true);
  expect(await sealed.list("_staging/job/results/")).toHaveLength(objects);
  expect(await read()).toEqual(results);
});

test("nothing is kept of no results", async () => {
  expect(await keep([])).toBe(false);
  expect(await sealed.list("_staging/job/results/")).toEqual([]);
});

test("an object that is gone is lost staging, not a result less", async () => {
  await keep(resultsOf(9 * MB, 9 * MB, 1));
  await sealed.delete(`${KEY}.1`);
  await expect(read()).rejects.toThrow(StagingLostError);
});

test("adding tells the bytes of a result", async () => {
  const kept = new KeptResults(sealed, KEY);
  expect(await kept.add({ item: 0, result: "ä" })).toBe(Buffer.byteLength('{"item":0,"result":"ä"}'));
});
