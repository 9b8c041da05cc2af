import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { NewRun } from "../../domain/run.js";
import { jobText, type SyncOptions, type SyncRun, syncWorkflowId } from "../../domain/sync/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { freezeRoster, GROUP_SIZE } from "../../lake/sync/frozen-roster.js";
import { type StartedRun, startOrJoin } from "../start-or-join.js";
import type { Roster } from "./roster-file.js";

/** A sync that was asked for. */
interface SyncJob {
  readonly scope: string;
  readonly taskQueue: string;
  readonly roster: Roster;
  readonly options: SyncOptions;
  /** Whether a run of the job that is going on is given up. */
  readonly restart?: boolean;
  readonly signal?: AbortSignal;
  readonly run?: NewRun;
}

/** Joins the job's run that is going on, unless that is given up, or freezes the roster and starts a new one. */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedRun> {
  const { scope, taskQueue, roster, options, restart, signal, run } = job;
  const jobId = createHash("sha256").update(jobText(roster.sha256, options)).digest("hex");
  const workflowId = syncWorkflowId(scope, jobId);
  return startOrJoin(client, {
    run,
    signal,
    restart,
    workflow: "sync",
    workflowId,
    taskQueue,
    kind: "sync",
    async prepare({ runId }) {
      await freezeRoster(store, runId, roster.rows);
      const { sha256, rows } = roster;
      const input: Omit<SyncRun, keyof NewRun> = {
        jobId: jobId.slice(0, 16),
        roster: { sha256, users: rows.length, groupSize: GROUP_SIZE },
        options,
      };
      return { input, memo: { pageSize: options.pageSize } };
    },
    discard: dropStagingOf(store),
  });
}

/** Deletes what was staged for a run that nobody will look for any more. */
export function dropStagingOf(store: ObjectStore): (runId: string) => Promise<void> {
  return (runId) => store.deletePrefix(`_staging/${runId}/`);
}
