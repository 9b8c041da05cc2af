import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  upsertMemo,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { runId as makeRunId, type RunStatus } from "../../domain/run.js";
import type { FiredRun, FiringMemo, StartedFiring } from "../../domain/schedules/scheduled-run.js";
import { FOLLOWED_RUN, HEARTBEATING } from "../policies.js";

const { startFiredRun, recordFailedFiring } = proxyActivities<Activities>(HEARTBEATING);
const { followRun } = proxyActivities<Activities>(FOLLOWED_RUN);

type ScheduledJob = Parameters<Activities["startFiredRun"]>[0]["job"];

interface FireScheduleInput {
  readonly schedule: string;
  readonly scope: string;
  /** First word of the ids of its runs. */
  readonly runKind: string;
  readonly job: ScheduledJob;
}

/** Starts the job's run, or joins a running one, and ends with it: what becomes due meanwhile is skipped. */
export async function fireSchedule(input: FireScheduleInput): Promise<FiringMemo> {
  const { schedule, scope, runKind, job } = input;
  const startedAt = new Date();
  const dueAt = (dueTime() ?? startedAt).toISOString();
  const run: FiredRun = {
    runId: makeRunId(runKind, startedAt, uuid4()),
    startedAt: startedAt.toISOString(),
    firing: { schedule, dueAt },
  };
  const told = (runId: string | null, status: RunStatus | null): FiringMemo => {
    const memo = { schedule, dueAt, runId, status };
    upsertMemo({ ...memo });
    return memo;
  };
  let started: StartedFiring;
  try {
    started = await startFiredRun({ scope, job, run });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    await recordFailedFiring({ job, run, message: error.cause?.message ?? error.message });
    told(run.runId, "failed");
    throw error;
  }
  told(started.runId, "running");
  const { status } = await followRun(started);
  return told(started.runId, status);
}

/** When the firing was due, however late it began. */
function dueTime(): Date | undefined {
  const [due] = (workflowInfo().searchAttributes.TemporalScheduledStartTime ?? []) as unknown[];
  return due instanceof Date ? due : undefined;
}
