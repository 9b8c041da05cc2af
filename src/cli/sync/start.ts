import { createHash, randomBytes } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { runId as makeRunId } from "../../domain/run.js";
import { jobText, type SyncOptions, syncWorkflowId } from "../../domain/sync/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { freezeRoster, GROUP_SIZE } from "../../lake/sync/frozen-roster.js";
import { describeRunning, startUnlessRunning } from "../../temporal/running-workflows.js";
import type { SyncInput } from "../../workflows/sync/sync.js";
import type { Roster } from "./roster-file.js";

export interface SyncJob {
  readonly scope: string;
  readonly taskQueue: string;
  readonly roster: Roster;
  readonly options: SyncOptions;
}

/** A run that was started, or one of the same job that was going on and is joined. */
export interface StartedSync {
  readonly handle: WorkflowHandle;
  readonly runId: string;
  readonly joined: boolean;
}

/** Joins the job's run that is going on, or freezes the roster and starts a new one. */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedSync> {
  const jobId = createHash("sha256").update(jobText(job.roster.sha256, job.options)).digest("hex");
  const workflowId = syncWorkflowId(job.scope, jobId);
  const running = await joinRunning(client, workflowId);
  if (running !== undefined) return running;
  const startedAt = new Date();
  const runId = makeRunId("sync", startedAt, randomBytes(3).toString("hex"));
  await freezeRoster(store, runId, job.roster.rows);
  const input: SyncInput = {
    runId,
    jobId: jobId.slice(0, 16),
    startedAt: startedAt.toISOString(),
    roster: { sha256: job.roster.sha256, users: job.roster.rows.length, groupSize: GROUP_SIZE },
    options: job.options,
    carried: null,
  };
  const start = { workflowId, taskQueue: job.taskQueue, args: [input], memo: { runId } };
  const handle = await startUnlessRunning(client, "sync", start);
  if (handle !== undefined) return { handle, runId, joined: false };
  // Only now it is certain that this run does not exist and nobody will look for its roster.
  await store.deletePrefix(`_staging/${runId}/`);
  return (await joinRunning(client, workflowId)) ?? startSync(client, store, job);
}

async function joinRunning(client: Client, workflowId: string): Promise<StartedSync | undefined> {
  const running = await describeRunning(client, workflowId);
  if (running === undefined) return undefined;
  return { handle: client.workflow.getHandle(workflowId), runId: String(running.memo?.runId), joined: true };
}
