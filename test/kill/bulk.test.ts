import { expect, test } from "vitest";
import { runCipTrial } from "../helpers/bulk/cip-trial.js";
import { runProxyTrial } from "../helpers/bulk/proxy-trial.js";
import { runVaultTrial, runVaultWriteTrial } from "../helpers/bulk/vault-trial.js";
import { KillFigures, unfinished } from "./kill-figures.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);

const KINDS = [
  ["exports", "one pack, each report accounted for", runCipTrial],
  ["exports of vault data", "each field of each user once", runVaultTrial],
  ["writes into vaults", "each row written, with one outcome", runVaultWriteTrial],
] as const;

test.skipIf(KILLS === 0).each(KINDS)(
  `${KILLS} kills of %s from seed ${FIRST_SEED} on: %s`,
  async (kind, _, runTrial) => {
    const figures = new KillFigures(kind);
    let seed = FIRST_SEED;
    for (; figures.killed < KILLS; seed += 1) {
      const trial = await runTrial({ seed, users: 200, kills: KILLS - figures.killed }).catch(unfinished);
      figures.add(trial, `seed ${seed}`, `--seed ${seed} --kills 0 --onboard-kills 0 --bulk-kills 1`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}`);
    expect(figures.failures).toEqual([]);
  },
);

test.skipIf(KILLS === 0)(
  `${KILLS} kills of proxy runs from seed ${FIRST_SEED} on: each request at most once, unless it may be repeated`,
  async () => {
    const figures = new KillFigures("proxy runs");
    let seed = FIRST_SEED;
    for (; figures.killed < KILLS; seed += 1) {
      const trial = await runProxyTrial(seed, Math.min(4, KILLS - figures.killed)).catch(unfinished);
      figures.add(trial, `seed ${seed}`, `--seed ${seed} --kills 0 --onboard-kills 0 --bulk-kills 1`);
    }
    figures.sum(`seeds ${FIRST_SEED} to ${seed - 1}`);
    expect(figures.failures).toEqual([]);
  },
);
