import { expect, test } from "vitest";
import { runCipTrial } from "../helpers/bulk/cip-trial.js";

const SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_BULK_KILLS ?? 5);

test(`an export killed again and again from seed ${SEED}: one pack, each report accounted for`, async () => {
  const { kills, problems } = await runCipTrial({ seed: SEED, users: 200, kills: KILLS });
  for (const line of kills) process.stderr.write(`seed ${SEED}, ${line}\n`);
  expect(problems, `again: npm run test:kill -- --seed ${SEED}`).toEqual([]);
});
