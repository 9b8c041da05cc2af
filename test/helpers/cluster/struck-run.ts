import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../../sandbox/index.js";
import type { Random } from "../../../sandbox/world/random.js";
import type { KillReport } from "../kill/kill-trial.js";
import type { ClusterLake } from "./cluster.js";

interface StruckCommand {
  readonly args: readonly string[];
  /** Kills come while the service is asked for these, so many times about. */
  readonly operation: string;
  readonly requests: number;
  readonly kills: number;
}

interface StruckEnd {
  readonly kills: readonly KillReport[];
  /** Of the command that completed; undefined where none did. */
  readonly summary: unknown;
  readonly runs: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** Kills begin within this share of the requests: the run must not be faster. */
const LAST_MOMENT = 0.8;
const LONGEST_DELAY_MS = 2_500;
const LONGEST_OUTAGE_MS = 3_000;
/** How often everything is killed at once. */
const EVERYTHING = 0.1;
const MOST_COMMANDS = 20;
const UNREACHABLE = 3;

/** Runs a command until it completes, while parts of the cluster are killed and started again. */
export async function runStruck(
  lake: ClusterLake,
  sandbox: Sandbox,
  random: Random,
  command: StruckCommand,
): Promise<StruckEnd> {
  const over = new AbortController();
  const kills: KillReport[] = [];
  const striking = strike(lake, sandbox, random, command, over.signal, kills);
  // Its failure is told where it is waited for.
  striking.catch(() => undefined);
  const end = await runUntilDone(lake, command.args);
  over.abort();
  await striking;
  return { ...end, kills, problems: [...end.problems, ...lake.problems()] };
}

/** The same command again, for as long as it ends because something could not be reached. */
async function runUntilDone({ folder }: ClusterLake, args: readonly string[]) {
  const runs = new Set<string>();
  for (let commands = 0; commands < MOST_COMMANDS; commands += 1) {
    const child = folder.command(args);
    // What can't be looked up is held until its user sends it by the same command.
    void child.says(/ held: /).then(
      () => folder.command(args),
      () => undefined,
    );
    const { code, stdout, stderr } = await child.ended;
    const run = /^(?:joined )?run (\S+?),?(?: |$)/m.exec(stderr)?.[1];
    if (run !== undefined) runs.add(run);
    if (code === 0) return { runs, summary: JSON.parse(stdout) as unknown, problems: [] };
    if (code !== UNREACHABLE) {
      return { runs, summary: undefined, problems: [`the command ended with ${code}: ${stdout}${stderr}`] };
    }
  }
  return { runs, summary: undefined, problems: [`${MOST_COMMANDS} commands did not complete`] };
}

async function strike(
  { parts }: ClusterLake,
  sandbox: Sandbox,
  random: Random,
  { operation, requests, kills }: StruckCommand,
  over: AbortSignal,
  told: KillReport[],
): Promise<void> {
  const asked = () => sandbox.calls().by_operation[operation] ?? 0;
  const before = asked();
  const starting: Promise<void>[] = [];
  const ended = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve()));
  for (let kill = 0; kill < kills; kill += 1) {
    const moment = 1 + Math.floor(((kill + random.next()) / kills) * requests * LAST_MOMENT);
    const delayMs = random.chance(0.4) ? 0 : random.int(LONGEST_DELAY_MS);
    const outageMs = random.int(LONGEST_OUTAGE_MS);
    const victims = random.chance(EVERYTHING) ? parts : [random.pick(parts)];
    const missing = before + moment - asked();
    if (missing > 0) await Promise.race([sandbox.waitForRequests(missing, { operation }), ended]);
    await sleep(delayMs, undefined, { signal: over }).catch(() => undefined);
    const victim = victims.length > 1 ? "everything" : (victims[0]?.name ?? "");
    const line = `kill ${victim} ${delayMs} ms after ${operation} ${moment}, for ${outageMs} ms`;
    told.push({ victim, line: over.aborted ? `${line} (too late)` : line, met: !over.aborted });
    if (over.aborted) continue;
    await Promise.all(victims.map((part) => part.kill()));
    await sleep(outageMs);
    starting.push(...victims.map((part) => part.start()));
  }
  await Promise.all(starting);
}
