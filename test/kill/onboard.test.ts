import { expect, test } from "vitest";
import { Random } from "../../sandbox/world/random.js";
import type { StoreKind } from "../helpers/kill/killed-store.js";
import { type OnboardVictim, runOnboardTrial } from "../helpers/onboarding/onboard-trial.js";
import { KillFigures, unfinished } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_ONBOARD_KILLS ?? 6);
const STORE = (process.env.NIGHTLEDGER_KILL_STORE ?? "kept") as StoreKind;
const CUSTOMERS = 500;
const KILLS_OF_A_BATCH = 6;
/** Batches beside each other: a kill is noticed after ten seconds, which are spent waiting. */
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
    const figures = new KillFigures("onboardings");
    let seed = FIRST_SEED;
    const lane = async () => {
      while (figures.killed < KILLS) {
        const mine = seed;
        seed += 1;
        const victims = victimsOf(new Random(`victims/${mine}`));
        const asked = { seed: mine, customers: CUSTOMERS, victims, store: STORE };
        const trial = await runOnboardTrial(asked).catch(unfinished);
        figures.add(trial, `seed ${mine}`, `--seed ${mine} --kills 0 --onboard-kills 1 --store ${STORE}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(KILLS / KILLS_OF_A_BATCH)) }, lane));
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}, store ${STORE}`);
    expect(figures.failures).toEqual([]);
  },
);
