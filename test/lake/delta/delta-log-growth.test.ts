import { expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { simulateNights } from "../../helpers/lake/log/log-nights.js";

const lake = eachFile(openTestLake);

/** A fortieth of what a feed of 20,000 links has; all that grows with the links is left as it is. */
const SCALED = {
  checkpointFloorBytes: 100_000,
  retention: { days: 5, mostVersions: 5_000, mostBytes: 1_600_000, fewVersions: 500, fewBytes: 200_000 },
};

test("after a hundred nights the log of a feed is at most five checkpoints large", async () => {
  const nights = { links: 500, nights: 100, commitLinks: 125, table: SCALED };
  const { bytes, checkpointBytes, names } = await simulateNights(lake, nights);
  expect(checkpointBytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(5 * checkpointBytes);
  expect(names.filter((name) => name.endsWith(".checkpoint.parquet"))).toHaveLength(2);
});
