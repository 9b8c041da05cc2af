import { expect, test } from "vitest";
import { Random } from "../../sandbox/world/random.js";
import { type OnboardVictim, runOnboardTrial } from "../helpers/onboarding/onboard-trial.js";

const SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const CUSTOMERS = 500;
const VICTIMS: readonly OnboardVictim[] = ["the command", "Temporal", "the receiver", "everything"];

/** Each of them once in an order of the seed's, and two of them again. */
function victimsOf(random: Random): OnboardVictim[] {
  const order = VICTIMS.map((victim) => ({ victim, at: random.next() })).sort((a, b) => a.at - b.at);
  return [...order.map(({ victim }) => victim), random.pick(VICTIMS), random.pick(VICTIMS)];
}

test(`worker, Temporal and receiver killed again and again from seed ${SEED}: every row one onboarding, one outcome`, async () => {
  const victims = victimsOf(new Random(`victims/${SEED}`));
  const { kills, problems } = await runOnboardTrial({ seed: SEED, customers: CUSTOMERS, victims });
  for (const line of kills) process.stderr.write(`seed ${SEED}, ${line}\n`);
  expect(problems, `again: npm run test:kill -- --seed ${SEED} --kills 1`).toEqual([]);
});
