import type { FiredRun } from "../../domain/schedules/scheduled-run.js";
import { runKindOf, type ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import { withHeartbeat } from "../heartbeat.js";
import { writeRunRow } from "../run-row.js";
import type { ScheduleDependencies } from "./dependencies.js";

interface FailedFiringInput {
  readonly job: ScheduledJob;
  readonly run: FiredRun;
  readonly message: string;
}

/** Writes down, in `runs` and in the log, why the run of a firing did not begin. */
export async function recordFailedFiring(
  deps: ScheduleDependencies,
  { job, run, message }: FailedFiringInput,
): Promise<void> {
  const { schedule, dueAt } = run.firing;
  deps.log.error({ run: run.runId, schedule, due_at: dueAt }, `a scheduled run did not begin: ${message}`);
  await withHeartbeat(() =>
    writeRunRow(deps, {
      ...run,
      jobId: "",
      kind: runKindOf(job),
      status: "failed",
      options: job.options,
      message,
    }),
  );
}
