import { expect, test } from "vitest";
import { runOnboardTrial } from "../../helpers/onboarding/onboard-trial.js";

test("the command, and then everything killed: every row has one onboarding and one outcome", async () => {
  const victims = ["the command", "everything"] as const;
  const { kills, problems } = await runOnboardTrial({ seed: 1, customers: 40, victims });
  expect(problems, kills.map(({ line }) => line).join("\n")).toEqual([]);
});
