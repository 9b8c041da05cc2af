import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StandIn, type StandInOptions, startStandIn } from "./stand-in.js";

/** One measured line: a figure beside what it is held against. */
export interface Figure {
  readonly scenario: string;
  readonly variant: string;
  /** What was measured, in the unit that its name ends with. */
  readonly measured: Readonly<Record<string, number>>;
  /** The ratio that the target speaks of. */
  readonly ratio?: number;
  /** The target in words; never asserted, only said. */
  readonly target?: string;
  readonly met?: boolean;
}

/** What a scenario is given. */
interface ScenarioContext {
  /** Smaller sizes, one run each: says whether everything works, not how fast it is. */
  readonly quick: boolean;
  /** Runs of which the median counts, where one is short. */
  readonly runs: number;
  /** Says what it does now. */
  report(text: string): void;
}

/** Something that is measured; `name` is what `--only` takes. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(context: ScenarioContext): Promise<Figure[]>;
}

/** A stand-in and room for the files of the runs against it. */
export interface Arena {
  readonly standIn: StandIn;
  readonly roster: string;
  /** A new empty working directory for a command. */
  directory(): Promise<string>;
  /** Gives the room of a directory back before the end. */
  clear(directory: string): Promise<void>;
}

/** Runs `work` beside a stand-in in a process of its own; ends it and deletes all files afterwards. */
export async function inArena<T>(
  options: Omit<StandInOptions, "roster">,
  work: (arena: Arena) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "nightledger-bench-"));
  try {
    const roster = join(root, "users.csv");
    const standIn = await startStandIn({ ...options, roster });
    try {
      let number = 0;
      const directory = async () => {
        number += 1;
        const path = join(root, `run-${number}`);
        await mkdir(path);
        return path;
      };
      const clear = (path: string) => rm(path, { force: true, recursive: true });
      return await work({ standIn, roster, directory, clear });
    } finally {
      await standIn.close();
    }
  } finally {
    await rm(root, { force: true, recursive: true });
  }
}

/** The middle one of some values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The run whose `seconds` is the median (of an even number, the slower of the two). */
export function medianRun<T extends { readonly seconds: number }>(runs: readonly T[]): T {
  const run = [...runs].sort((a, b) => a.seconds - b.seconds)[runs.length >> 1];
  if (run === undefined) throw new Error("a median of no runs was asked for");
  return run;
}
