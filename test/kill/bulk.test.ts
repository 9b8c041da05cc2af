import { expect, test } from "vitest";
import { runCipTrial } from "../helpers/bulk/cip-trial.js";
import { runReconcileTrial } from "../helpers/bulk/reconcile-trial.js";
import { KillFigures, unfinished } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);

test.skipIf(KILLS === 0)(
  `${KILLS} kills of exports from seed ${FIRST_SEED} on: one pack, each report accounted for`,
  async () => {
    const figures = new KillFigures("exports");
    let seed = FIRST_SEED;
    for (; figures.killed < KILLS; seed += 1) {
      const trial = await runCipTrial({ seed, users: 200, kills: KILLS - figures.killed }).catch(unfinished);
      figures.add(trial, `seed ${seed}`, `--seed ${seed} --kills 0 --onboard-kills 0 --bulk-kills 1`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}`);
    expect(figures.failures).toEqual([]);
  },
);

test.skipIf(KILLS === 0)(
  `${KILLS} kills of reconciliations from seed ${FIRST_SEED} on: each account once, as the service has it`,
  async () => {
    const figures = new KillFigures("reconciliations");
    let seed = FIRST_SEED;
    for (; figures.killed < KILLS; seed += 1) {
      const kills = KILLS - figures.killed;
      const trial = await runReconcileTrial({ seed, users: 60, kills }).catch(unfinished);
      figures.add(trial, `seed ${seed}`, `--seed ${seed} --kills 0 --onboard-kills 0 --bulk-kills 1`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}`);
    expect(figures.failures).toEqual([]);
  },
);
