import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import { jobText, type SyncOptions, syncWorkflowId } from "../../domain/sync/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { freezeRoster, GROUP_SIZE } from "../../lake/sync/frozen-roster.js";
import type { SyncInput } from "../../workflows/sync/sync.js";
import { type StartedRun, startOrJoin } from "../session/start-or-join.js";
import type { Roster } from "./roster-file.js";

/** A sync that was asked for. */
interface SyncJob {
  readonly scope: string;
  readonly taskQueue: string;
  readonly roster: Roster;
  readonly options: SyncOptions;
}

/** Joins the job's run that is going on, or freezes the roster and starts a new one. */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedRun> {
  const { scope, taskQueue, roster, options } = job;
  const jobId = createHash("sha256").update(jobText(roster.sha256, options)).digest("hex");
  return startOrJoin(client, {
    workflow: "sync",
    workflowId: syncWorkflowId(scope, jobId),
    taskQueue,
    kind: "sync",
    async prepare({ runId, startedAt }) {
      await freezeRoster(store, runId, roster.rows);
      const input: SyncInput = {
        runId,
        jobId: jobId.slice(0, 16),
        startedAt,
        roster: { sha256: roster.sha256, users: roster.rows.length, groupSize: GROUP_SIZE },
        options,
        carried: null,
      };
      return { input };
    },
    discard: (runId) => store.deletePrefix(`_staging/${runId}/`),
  });
}
