import { expect, test } from "vitest";
import { Random } from "../../sandbox/world/random.js";
import type { StoreKind } from "../helpers/kill/killed-store.js";
import { type OnboardVictim, runOnboardTrial } from "../helpers/onboarding/onboard-trial.js";
import { runTrials } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_ONBOARD_KILLS ?? 6);
const STORE = (process.env.NIGHTLEDGER_KILL_STORE ?? "kept") as StoreKind;
const CUSTOMERS = 500;
const KILLS_OF_A_BATCH = 6;
const LANES = 2;
const VICTIMS: readonly OnboardVictim[] = [
  "the command",
  "the worker",
  "Temporal",
  "the receiver",
  "everything",
];

/** Each of them once in an order of the seed's, and one of them again. */
function victimsOf(random: Random): OnboardVictim[] {
  const order = VICTIMS.map((victim) => ({ victim, at: random.next() })).sort((a, b) => a.at - b.at);
  const more = Array.from({ length: KILLS_OF_A_BATCH - VICTIMS.length }, () => random.pick(VICTIMS));
  return [...order.map(({ victim }) => victim), ...more];
}

test.skipIf(KILLS === 0)(
  `${KILLS} kills of onboardings from seed ${FIRST_SEED} on: every row one onboarding, one outcome`,
  async () => {
    const failures = await runTrials(FIRST_SEED, {
      of: "onboardings",
      kills: KILLS,
      lanes: Math.min(LANES, Math.ceil(KILLS / KILLS_OF_A_BATCH)),
      run: (seed) => {
        const victims = victimsOf(new Random(`victims/${seed}`));
        return runOnboardTrial({ seed, customers: CUSTOMERS, victims, store: STORE });
      },
      again: `--kills 0 --onboard-kills 1 --store ${STORE}`,
    });
    expect(failures).toEqual([]);
  },
);
