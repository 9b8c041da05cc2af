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
import { commandLine } from "../../domain/words/texts.js";
import { FOLLOWED_RUN, HEARTBEATING } from "../policies.js";

const { startFiredRun, recordFailedFiring } = proxyActivities<Activities>(HEARTBEATING);
const { followRun } = proxyActivities<Activities>(FOLLOWED_RUN);

type ScheduledJob = Parameters<Activities["startFiredRun"]>[0]["job"];

interface FireScheduleInput {
  readonly schedule: string;
  readonly scope: string;
  readonly lake: string;
  /** First word of the ids of its runs. */
  readonly runKind: string;
  readonly job: ScheduledJob;
  /** The job's command line, as words. */
  readonly command?: readonly string[];
}

/** Starts the job's run, or joins a running one, and ends with it: what becomes due meanwhile is skipped. */
export async function fireSchedule(input: FireScheduleInput): Promise<FiringMemo> {
  const { schedule, scope, lake, runKind, job } = input;
  const command = input.command && commandLine(["nightledger", ...input.command]);
  const dueAt = (dueTime() ?? new Date()).toISOString();
  const told = (runId: string | null, status: RunStatus | null): FiringMemo => {
    const memo = { schedule, dueAt, runId, status };
    upsertMemo({ ...memo });
    return memo;
  };
  const startedAt = new Date();
  const runId = makeRunId(runKind, startedAt, uuid4());
  const firing = { schedule, dueAt };
  const run: FiredRun = { runId, startedAt: startedAt.toISOString(), firing, ...(command && { command }) };
  let started: StartedFiring;
  try {
    started = await startFiredRun({ scope, lake, job, run });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    try {
      await recordFailedFiring({ job, run, message: error.cause?.message ?? error.message });
    } finally {
      told(runId, "failed");
    }
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
