import { expect, test } from "vitest";
import { runOnboardTrial } from "../../helpers/onboarding/onboard-trial.js";

test("command, Temporal, receiver and then all of them killed: every row has one onboarding and one outcome", async () => {
  const victims = ["the command", "Temporal", "the receiver", "everything"] as const;
  const { kills, problems } = await runOnboardTrial({ seed: 1, customers: 60, victims });
  expect(problems, kills.map(({ line }) => line).join("\n")).toEqual([]);
});
