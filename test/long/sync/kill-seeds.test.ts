import { expect, test } from "vitest";
import { runKillTrial } from "../../helpers/kill/kill-trial.js";

// Seed 1 is in the short tests; `npm run test:kill` takes others.
test.each([2, 3])("killed at moments of seed %i and run again, both nights are exact", async (seed) => {
  const { kills, problems } = await runKillTrial(seed);
  expect(problems, kills.map(({ line }) => line).join("\n")).toEqual([]);
});
