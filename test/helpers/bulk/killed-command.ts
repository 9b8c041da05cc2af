import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import type { JobFolder } from "../command/job-folder.js";
import type { KillReport } from "../kill/kill-trial.js";

/** What is killed: the command, which is the worker too, or Temporal with it. */
const VICTIMS = ["the command", "Temporal", "both"] as const;
/** Kills begin within so many milliseconds after the run is told: an undisturbed one takes about as long. */
const WITHIN_MS = 5_000;
const MOST_COMMANDS = 60;

/** A bulk command that was killed at random moments, and what the one that completed said. */
interface KilledCommand {
  readonly kills: KillReport[];
  readonly summary: BulkSummary | undefined;
}

/** Runs a command again and again, with kills at moments that `random` picks, until it completes. */
export async function runKilled(
  folder: JobFolder,
  random: Random,
  args: readonly string[],
  kills: number,
): Promise<KilledCommand> {
  const told: KillReport[] = [];
  let summary: BulkSummary | undefined;
  for (let command = 0; summary === undefined && command < MOST_COMMANDS; command += 1) {
    const child = folder.command(args);
    if (told.length < kills) {
      await Promise.race([child.says(/^(joined )?run /m), child.ended]);
      const after = Math.floor(random.next() * WITHIN_MS);
      const stop = new AbortController();
      const wait = sleep(after, undefined, { signal: stop.signal }).catch(() => undefined);
      await Promise.race([wait, child.ended]);
      stop.abort();
      if (child.running()) {
        const victim = random.pick(VICTIMS);
        told.push({ victim, line: `${victim} after ${after} ms`, met: true });
        for (const server of victim === "the command" ? [] : folder.servers()) await endProcess(server, 0);
        if (victim !== "Temporal") await child.end("SIGKILL");
      }
    }
    const { code, stdout, stderr } = await child.ended;
    if (code === 0) summary = JSON.parse(stdout) as BulkSummary;
    else if (code !== null && code !== 3) throw new Error(`exit ${code}: ${stderr}`);
  }
  return { kills: told, summary };
}
