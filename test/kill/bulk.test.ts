import { expect, test } from "vitest";
import { runBulkTrial } from "../helpers/bulk/bulk-trial.js";
import { KILLED_CIP } from "../helpers/bulk/cip-trial.js";
import { KILLED_KYB } from "../helpers/bulk/kyb-trial.js";
import { KILLED_RECONCILE } from "../helpers/bulk/reconcile-trial.js";
import { KillFigures, unfinished } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);

test.skipIf(KILLS === 0).each([KILLED_CIP, KILLED_KYB, KILLED_RECONCILE])(
  `${KILLS} kills of $kind from seed ${FIRST_SEED} on: each row once, as the service has it`,
  async (job) => {
    const figures = new KillFigures(`runs of ${job.kind}`);
    let seed = FIRST_SEED;
    for (; figures.killed < KILLS; seed += 1) {
      const trial = await runBulkTrial(job, { seed, kills: KILLS - figures.killed }).catch(unfinished);
      figures.add(trial, `seed ${seed}`, `--seed ${seed} --kills 0 --onboard-kills 0 --bulk-kills 1`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}`);
    expect(figures.failures).toEqual([]);
  },
);
