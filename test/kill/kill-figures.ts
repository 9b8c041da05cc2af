import type { TrialReport } from "../helpers/kill/kill-trial.js";

/** Says on standard error what was killed, and in the end how often. */
export class KillFigures {
  readonly failures: string[] = [];
  readonly #met = new Map<string, number>();
  readonly #startedAt = Date.now();

  constructor(
    readonly of: string,
    readonly script = "test:kill",
  ) {}

  /** Kills whose moment came in time. */
  get killed(): number {
    return [...this.#met.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @param again the options that repeat this trial. */
  add({ kills, problems }: TrialReport, name: string, again: string): void {
    for (const { victim, line, met } of kills) {
      say(`${name}, ${line}`);
      if (met) this.#met.set(victim, (this.#met.get(victim) ?? 0) + 1);
    }
    if (problems.length === 0) return;
    this.failures.push(`${name}: ${problems.join("; ")}`);
    say(`FAILED: ${this.failures.at(-1)}\n  again: npm run ${this.script} -- ${again}`);
  }

  sum(what: string): void {
    const victims = [...this.#met].map(([victim, count]) => `${count} of ${victim}`).sort();
    const minutes = ((Date.now() - this.#startedAt) / 60_000).toFixed(1);
    say(`${this.killed} kills of ${this.of}, ${what}, in ${minutes} minutes: ${victims.join(", ")}`);
    say(`${this.failures.length} trials failed`);
  }
}

/** Trials whose seeds follow each other. */
interface Trials {
  /** What is killed, in the last line. */
  readonly of: string;
  /** So many kills at least, in so many trials beside each other: most of one is waiting for a heartbeat. */
  readonly kills: number;
  readonly lanes: number;
  run(seed: number, left: number): Promise<TrialReport>;
  /** The options that repeat a trial, beside its seed. */
  readonly again: string;
}

/** Runs trials from a seed on until enough was killed; what failed, in words. */
export async function runTrials(first: number, { of, kills, lanes, run, again }: Trials): Promise<string[]> {
  const figures = new KillFigures(of);
  let seed = first;
  const lane = async () => {
    while (figures.killed < kills) {
      const mine = seed;
      seed += 1;
      const trial = await run(mine, kills - figures.killed).catch(unfinished);
      figures.add(trial, `seed ${mine}`, `--seed ${mine} ${again}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  figures.sum(`seeds ${first} to ${seed - 1}`);
  return figures.failures;
}

/** A trial that could not be judged is a failure like any other; those beside it are let finish. */
export function unfinished(error: unknown): TrialReport {
  return { kills: [{ victim: "unknown", line: String(error), met: true }], problems: [String(error)] };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
