import { expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { simulateNights } from "../../helpers/lake/log/log-nights.js";

const lake = eachFile(openTestLake);

test("after a hundred nights of 20,000 links the log of a feed is at most five checkpoints large", async () => {
  const nights = { links: 20_000, nights: 100, commitLinks: 2_000, table: {} };
  const { bytes, checkpointBytes } = await simulateNights(lake, nights);
  const megabytes = [bytes, checkpointBytes].map((size) => (size / 1e6).toFixed(1));
  process.stdout.write(`100 nights of 20,000 links: log and checkpoint ${megabytes.join(" and ")} MB\n`);
  expect(bytes).toBeLessThanOrEqual(5 * checkpointBytes);
});
