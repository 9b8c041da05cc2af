import { expect, test } from "vitest";
import { type KilledJob, runBulkTrial } from "../helpers/bulk/bulk-trial.js";
import { KILLED_CIP } from "../helpers/bulk/cip-trial.js";
import { runImportTrial } from "../helpers/bulk/import-trial.js";
import { KILLED_KYB } from "../helpers/bulk/kyb-trial.js";
import { KILLED_RECONCILE } from "../helpers/bulk/reconcile-trial.js";
import { runVaultTrial, runVaultWriteTrial } from "../helpers/bulk/vault-trial.js";
import type { TrialReport } from "../helpers/kill/kill-trial.js";
import { runTrials } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);

/** Runs one trial of a kind of bulk job, with so many kills at moments of its seed. */
type Trial = (seed: number, kills: number) => Promise<TrialReport>;

const trialOf = (job: KilledJob): [string, Trial] => [
  job.kind,
  (seed, kills) => runBulkTrial(job, { seed, kills }),
];

const KINDS: readonly [string, Trial][] = [
  ...[KILLED_CIP, KILLED_KYB, KILLED_RECONCILE].map(trialOf),
  ["import", runImportTrial],
  ["vault", (seed, kills) => runVaultTrial({ seed, users: 200, kills })],
  ["vault_write", (seed, kills) => runVaultWriteTrial({ seed, users: 200, kills })],
];

test.skipIf(KILLS === 0).each(KINDS)(
  `${KILLS} kills of %s from seed ${FIRST_SEED} on: each row once, as the service has it`,
  async (kind, run) => {
    const again = "--kills 0 --onboard-kills 0 --bulk-kills 1";
    expect(
      await runTrials(FIRST_SEED, { of: `runs of ${kind}`, kills: KILLS, lanes: 1, run, again }),
    ).toEqual([]);
  },
);
