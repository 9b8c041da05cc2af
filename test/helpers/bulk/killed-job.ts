import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import type { JobFolder } from "../command/job-folder.js";
import type { KillReport } from "../kill/kill-trial.js";
import { endProcess } from "../temporal/processes.js";

/** What is killed: the command, which is the worker too, or Temporal with it. */
const VICTIMS = ["the command", "Temporal", "both"] as const;
/** Kills begin within so many milliseconds after the run is told: an undisturbed one takes about as long. */
const WITHIN_MS = 5_000;
/** Exit codes of a run that ended, and of a command that lost its Temporal. */
const ENDED: readonly unknown[] = [0, 1];
const LOST: readonly unknown[] = [null, 3];

/**
 * Runs the command of a bulk job again and again, with so many kills at moments of the seed, until its run has ended.
 * There is no summary where it never did.
 */
export async function runKilledJob(
  folder: JobFolder,
  args: readonly string[],
  random: Random,
  kills: number,
): Promise<{ kills: KillReport[]; summary: BulkSummary | undefined }> {
  const told: KillReport[] = [];
  // A killed Temporal ends two commands: the one that lost it, and the one that found it dead.
  for (let command = 0; command < 2 * kills + 3; command += 1) {
    const child = folder.command(args);
    // What can't be looked up is held once HOME has started again; its user sends it by the same command.
    void child.says(/ held: /).then(
      () => folder.command(args),
      () => undefined,
    );
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
        for (const server of victim === "the command" ? [] : folder.servers()) await endProcess(server);
        if (victim !== "Temporal") await child.end("SIGKILL");
      }
    }
    const { code, stdout, stderr } = await child.ended;
    const summary = ENDED.includes(code) ? (JSON.parse(stdout) as BulkSummary) : undefined;
    if (summary !== undefined && "rows" in summary && isEnded(summary)) return { kills: told, summary };
    if (summary === undefined && !LOST.includes(code)) throw new Error(`exit ${code}: ${stderr}`);
  }
  return { kills: told, summary: undefined };
}

function isEnded({ status }: BulkSummary): boolean {
  return status === "completed" || status === "completed_with_failures";
}
