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

interface KilledCommand {
  readonly random: Random;
  readonly kills: number;
  /** Exit code of a run that went through all of its rows. */
  readonly code: number;
}

/** Runs a bulk job's command with kills at random moments, again and again until it completes. */
export async function runKilled(
  folder: JobFolder,
  args: readonly string[],
  { random, kills, code: whole }: KilledCommand,
): Promise<{ readonly told: readonly KillReport[]; readonly summary: BulkSummary | undefined }> {
  const told: KillReport[] = [];
  for (let command = 0; command < MOST_COMMANDS; command += 1) {
    const child = folder.command([...args]);
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
    if (code === whole) return { told, summary: JSON.parse(stdout) as BulkSummary };
    if (code !== null && code !== 3) throw new Error(`exit ${code}: ${stderr}`);
  }
  return { told, summary: undefined };
}
