import { expect, test } from "vitest";
import { runKillTrial, type TrialReport } from "../helpers/kill/kill-trial.js";

const FIRST_SEED = Number(process.env.NIGHTLEDGER_KILL_SEED ?? 1);
const KILLS = Number(process.env.NIGHTLEDGER_KILLS ?? 24);
/** Trials beside each other: most of a trial is waiting for a heartbeat that does not come. */
const LANES = 3;

/** A trial that could not be judged is a failure like any other; those beside it are let finish. */
function unfinished(error: unknown): TrialReport {
  return { kills: [], killed: 1, problems: [String(error)] };
}

test(`${KILLS} kills from seed ${FIRST_SEED} on leave every night exact`, async () => {
  let seed = FIRST_SEED;
  let killed = 0;
  const failures: string[] = [];
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const lane = async () => {
    while (killed < KILLS) {
      const mine = seed;
      seed += 1;
      const trial = await runKillTrial(mine).catch(unfinished);
      killed += trial.killed;
      for (const line of trial.kills) say(line);
      if (trial.problems.length === 0) continue;
      failures.push(`seed ${mine}: ${trial.problems.join("; ")}`);
      say(`FAILED: ${failures.at(-1)}\n  again: npm run test:kill -- --seed ${mine} --kills 1`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(KILLS / 2)) }, lane));
  say(`${killed} kills, seeds ${FIRST_SEED} to ${seed - 1}`);
  expect(failures).toEqual([]);
});
