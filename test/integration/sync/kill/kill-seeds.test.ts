import { expect, test } from "vitest";
import { runKillTrial } from "../../../helpers/kill/kill-trial.js";

test("killed at moments of a seed and run again, both nights are exact", async () => {
  const { kills, problems } = await runKillTrial(1);
  expect(problems, kills.map(({ line }) => line).join("\n")).toEqual([]);
});
