import { expect, test } from "vitest";
import { StagingLostError } from "../../../src/domain/failures.js";
import { SealedRows } from "../../../src/lake/store/sealed-rows.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);

const numbers = Array.from({ length: 1_234 }, (_, at) => at);

test.for([0, 1, 499, 500, 501, 1_000, 1_234])("%d rows come back by their numbers", async (count) => {
  const rows = new SealedRows<number>(lake.sealed);
  expect(await rows.write("_staging/job/rows/", numbers.slice(0, count))).toBe(Math.ceil(count / 500));
  expect(await new SealedRows<number>(lake.sealed).read("_staging/job/rows/", 0, count)).toEqual(
    numbers.slice(0, count),
  );
});

test("a range may cross chunks", async () => {
  const rows = new SealedRows<number>(lake.sealed);
  await rows.write("_staging/job/rows/", numbers);
  expect(await rows.read("_staging/job/rows/", 498, 1_002)).toEqual(numbers.slice(498, 1_002));
});

test("a chunk that is gone is lost staging, and is looked for again once it is back", async () => {
  const rows = new SealedRows<number>(lake.sealed);
  await rows.write("_staging/job/rows/", numbers);
  await lake.sealed.delete("_staging/job/rows/1");
  await expect(rows.read("_staging/job/rows/", 0, 600)).rejects.toThrow(StagingLostError);
  await rows.write("_staging/job/rows/", numbers);
  expect(await rows.read("_staging/job/rows/", 0, 600)).toEqual(numbers.slice(0, 600));
});
