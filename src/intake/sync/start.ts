import { hash } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { NewRun } from "../../domain/run.js";
import { jobText, type SyncOptions, type SyncRun, syncWorkflowId } from "../../domain/sync/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { freezeRoster, GROUP_SIZE } from "../../lake/sync/frozen-roster.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import { type AskedRun, startOrJoin } from "../start-or-join.js";
import type { Roster } from "./roster-file.js";

interface SyncJob extends AskedRun {
  readonly roster: Roster;
  readonly options: SyncOptions;
}

/** Joins the job's run in progress, or freezes the roster and starts a new run. */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedRun> {
  const { scope, roster, options } = job;
  const jobId = hash("sha256", jobText(roster.sha256, options));
  return startOrJoin(client, {
    ...job,
    workflow: "sync",
    workflowId: syncWorkflowId(scope, jobId),
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

export function dropStagingOf(store: ObjectStore): (runId: string) => Promise<void> {
  return (runId) => store.deletePrefix(`_staging/${runId}/`);
}
