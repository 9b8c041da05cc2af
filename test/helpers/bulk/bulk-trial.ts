import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { KillReport, TrialReport } from "../kill/kill-trial.js";

/** What is killed: the command, which is the worker too, or Temporal with it. */
const VICTIMS = ["the command", "Temporal", "both"] as const;
/** Kills begin within so many milliseconds after the run is told: an undisturbed one takes about as long. */
const WITHIN_MS = 5_000;
const MOST_COMMANDS = 60;

/** A bulk job that trials kill. */
export interface KilledJob {
  readonly kind: string;
  readonly sandbox: SandboxOptions;
  /** An operation whose answers are so long that a kill comes within them. */
  readonly slow?: string;
  readonly args: readonly string[];
  /** Exit code of a run that went through all of its rows. Default: 0. */
  readonly code?: number;
  /** Writes its files, and brings about what it finds. */
  prepare?(folder: JobFolder, sandbox: Sandbox): Promise<void>;
  /** Everything that is not exactly right. */
  problemsOf(folder: JobFolder, sandbox: Sandbox, summary: BulkSummary): Promise<string[]>;
}

interface BulkTrial {
  readonly seed: number;
  readonly kills: number;
}

/**
 * One run of a job with kills at moments of its seed; the command is run again until it completes. What it left is then
 * compared with what the stand-in served.
 */
export async function runBulkTrial(job: KilledJob, { seed, kills }: BulkTrial): Promise<TrialReport> {
  const random = new Random(`${job.kind}/${seed}`);
  const sandbox = await startSandbox({ seed, latencyMs: 60, ...job.sandbox });
  const slow = { kind: "slow", chunkBytes: 200, intervalMs: 200, probability: 0.2, seed } as const;
  if (job.slow !== undefined) sandbox.addFault({ ...slow, operation: job.slow });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    await job.prepare?.(folder, sandbox);
    const told: KillReport[] = [];
    let summary: BulkSummary | undefined;
    for (let command = 0; summary === undefined && command < MOST_COMMANDS; command += 1) {
      const child = folder.command(job.args);
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
      if (code === (job.code ?? 0)) summary = JSON.parse(stdout) as BulkSummary;
      else if (code !== null && code !== 3) throw new Error(`exit ${code}: ${stderr}`);
    }
    const problems = summary
      ? await job.problemsOf(folder, sandbox, summary)
      : ["the command never completed"];
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}
