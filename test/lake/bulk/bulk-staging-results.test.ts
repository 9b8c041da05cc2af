import { beforeEach, expect, test } from "vitest";
import { StagingLostError } from "../../../src/domain/failures.js";
import { BulkStaging, type StagedResult } from "../../../src/lake/bulk/bulk-staging.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const MB = 1024 * 1024;

const lake = eachTest(openTestLake);
let staging: BulkStaging;
beforeEach(async () => {
  staging = new BulkStaging(lake.sealed, "job");
});

async function read(names: readonly string[]): Promise<StagedResult[]> {
  const parts = await Promise.all(names.map((name) => staging.results(name)));
  return parts.flat();
}

async function keep(results: readonly StagedResult[]): Promise<readonly string[]> {
  const kept = staging.keepResults("0-x");
  await Promise.all(results.map((one) => kept.add(one)));
  return kept.end();
}

const resultsOf = (...sizes: readonly number[]) =>
  sizes.map((size, item) => ({ item, result: { json: "x".repeat(size) } }));

test.for([
  [1, [1, 2, 3]],
  [1, [8 * MB]],
  [2, [5 * MB, 5 * MB, 5 * MB, 5 * MB]],
  [3, [9 * MB, 9 * MB, 1]],
] as const)("results come back from %d objects", async ([objects, sizes]) => {
  const results = resultsOf(...sizes);
  const names = await keep(results);
  expect(await lake.sealed.list("_staging/job/results/")).toHaveLength(objects);
  expect(await read(names)).toEqual(results);
});

test("nothing is kept of no results", async () => {
  expect(await keep([])).toEqual([]);
  expect(await lake.sealed.list("_staging/job/results/")).toEqual([]);
});

test("an object that is gone is lost staging, not a result less", async () => {
  const names = await keep(resultsOf(9 * MB, 9 * MB, 1));
  await lake.sealed.delete("_staging/job/results/0-x.1");
  await expect(read(names)).rejects.toThrow(StagingLostError);
});

test("adding tells the bytes of a result", async () => {
  const kept = staging.keepResults("0-x");
  expect(await kept.add({ item: 0, result: "ä" })).toBe(Buffer.byteLength('{"item":0,"result":"ä"}'));
});
