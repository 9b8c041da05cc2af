import { expect, test } from "vitest";
import { runOnboardTrial } from "../helpers/onboard-trial.js";

const SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const CUSTOMERS = 500;

test(`worker, Temporal and receiver killed again and again from seed ${SEED}: every row one onboarding, one outcome`, async () => {
  const victims = [
    "the command",
    "Temporal",
    "the receiver",
    "everything",
    "Temporal",
    "everything",
  ] as const;
  const { kills, problems } = await runOnboardTrial({ seed: SEED, customers: CUSTOMERS, victims });
  for (const line of kills) process.stderr.write(`seed ${SEED}, ${line}\n`);
  expect(problems, `again: npm run test:kill -- --seed ${SEED} --kills 1`).toEqual([]);
});
