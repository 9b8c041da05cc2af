import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { simulateNights } from "../../helpers/lake/log-nights.js";

let lake: TestLake;
beforeAll(async () => {
  lake = await openTestLake();
});
afterAll(() => lake.release());

test.each([100, 2_000])(
  "after a hundred nights of 20,000 links, in commits of %d, the log is at most five checkpoints large",
  async (commitLinks) => {
    await lake.store.deletePrefix("feed/");
    const nights = { links: 20_000, nights: 100, commitLinks, table: {} };
    const { bytes, checkpointBytes } = await simulateNights(lake, nights);
    process.stdout.write(
      `log ${(bytes / 1e6).toFixed(1)} MB, checkpoint ${(checkpointBytes / 1e6).toFixed(1)} MB\n`,
    );
    expect(bytes).toBeLessThanOrEqual(5 * checkpointBytes);
  },
);
