import { expect, test } from "vitest";
import { runKillTrial } from "../helpers/kill/kill-trial.js";
import type { StoreKind } from "../helpers/kill/killed-store.js";
import { KillFigures, unfinished } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_KILLS ?? 24);
const STORE = (process.env.NIGHTLEDGER_KILL_STORE ?? "kept") as StoreKind;
/** Trials beside each other: most of a trial is waiting for a heartbeat that does not come. */
const LANES = 3;

test(`${KILLS} kills of syncs from seed ${FIRST_SEED} on leave every night exact`, async () => {
  const figures = new KillFigures("syncs");
  let seed = FIRST_SEED;
  const lane = async () => {
    while (figures.killed < KILLS) {
      const mine = seed;
      seed += 1;
      const trial = await runKillTrial(mine, STORE).catch(unfinished);
      figures.add(trial, `seed ${mine}`, `--seed ${mine} --kills 1 --onboard-kills 0 --store ${STORE}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(KILLS / 2)) }, lane));
  figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}, store ${STORE}`);
  expect(figures.failures).toEqual([]);
});
