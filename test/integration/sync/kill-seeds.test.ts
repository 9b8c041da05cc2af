import { expect, test } from "vitest";
import { runKillTrial } from "../../helpers/kill/kill-trial.js";

const SEEDS = [1, 2, 3];

test.each(SEEDS)("killed at moments of seed %i and run again, both nights are exact", async (seed) => {
  const { kills, problems } = await runKillTrial(seed);
  expect(problems, kills.join("\n")).toEqual([]);
});
