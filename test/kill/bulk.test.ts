import { expect, test } from "vitest";
import { runBulkTrial } from "../helpers/bulk/bulk-trial.js";
import { KILLED_CIP } from "../helpers/bulk/cip-trial.js";
import { KILLED_IMPORT } from "../helpers/bulk/import-trial.js";
import { KILLED_KYB } from "../helpers/bulk/kyb-trial.js";
import { KILLED_RECONCILE } from "../helpers/bulk/reconcile-trial.js";
import { KILLED_VAULT, KILLED_VAULT_WRITE } from "../helpers/bulk/vault-trial.js";
import { runTrials } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);
const JOBS = [KILLED_CIP, KILLED_KYB, KILLED_RECONCILE, KILLED_IMPORT, KILLED_VAULT, KILLED_VAULT_WRITE];

test.skipIf(KILLS === 0).each(JOBS)(
  `${KILLS} kills of $kind from seed ${FIRST_SEED} on: each row once, as the service has it`,
  async (job) => {
    const again = "--kills 0 --onboard-kills 0 --bulk-kills 1";
    const run = (seed: number, kills: number) => runBulkTrial(job, { seed, kills });
    expect(
      await runTrials(FIRST_SEED, { of: `runs of ${job.kind}`, kills: KILLS, lanes: 1, run, again }),
    ).toEqual([]);
  },
);
