import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { runKilledJob } from "./killed-job.js";

/** A bulk job that trials kill. */
export interface KilledJob {
  readonly kind: string;
  readonly sandbox: SandboxOptions;
  /** An operation whose answers are so long that a kill comes within them. */
  readonly slow?: string;
  /** An operation whose answers get lost without a kill too, so that one may come between a request and its repetition. */
  readonly losing?: string;
  readonly args: readonly string[];
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
  const lost = { kind: "status", status: 504, afterEffect: true, probability: 0.1, seed } as const;
  if (job.losing !== undefined) sandbox.addFault({ ...lost, operation: job.losing });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    await job.prepare?.(folder, sandbox);
    const { kills: told, summary } = await runKilledJob(folder, job.args, random, kills);
    const problems = summary
      ? await job.problemsOf(folder, sandbox, summary)
      : ["the command never completed"];
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}
