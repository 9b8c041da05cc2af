import { expect, test } from "vitest";
import { runKillTrial } from "../helpers/kill/kill-trial.js";
import type { StoreKind } from "../helpers/kill/killed-store.js";
import { runTrials } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_KILLS ?? 24);
const STORE = (process.env.NIGHTLEDGER_KILL_STORE ?? "kept") as StoreKind;
const LANES = 3;

test(`${KILLS} kills of syncs from seed ${FIRST_SEED} on leave every night exact`, async () => {
  const failures = await runTrials(FIRST_SEED, {
    of: "syncs",
    kills: KILLS,
    lanes: Math.min(LANES, Math.ceil(KILLS / 2)),
    run: (seed) => runKillTrial(seed, STORE),
    again: `--kills 1 --onboard-kills 0 --store ${STORE}`,
  });
  expect(failures).toEqual([]);
});
