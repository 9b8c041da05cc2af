import { hash } from "node:crypto";
import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import type { NewRun } from "../../domain/run.js";
import { jobText, type SyncOptions, type SyncRun, syncWorkflowId } from "../../domain/sync/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { freezeRoster, GROUP_SIZE } from "../../lake/sync/frozen-roster.js";
import { type AskedRun, type StartedRun, startOrJoin } from "../start-or-join.js";
import type { Roster } from "./roster-file.js";

interface SyncJob extends AskedRun {
  readonly roster: Roster;
  readonly options: SyncOptions;
}

/** How a run stages what it reads. A run that release 0.1.0 began has no such memo. */
const STAGING_FORM = "journals";

/**
 * Joins the job's run in progress, or freezes the roster and starts a new run.
 *
 * @throws InputError where release 0.1.0 began the run in progress: this release can't read what that has staged
 */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedRun> {
  const { scope, taskQueue, roster, options, restart, signal, run } = job;
  const jobId = hash("sha256", jobText(roster.sha256, options));
  const workflowId = syncWorkflowId(scope, jobId);
  const started = await startOrJoin(client, {
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
      return { input, memo: { pageSize: options.pageSize, staging: STAGING_FORM } };
    },
    discard: dropStagingOf(store),
  });
  if (started.memo.staging !== STAGING_FORM) throw ofEarlierRelease(started.runId);
  return started;
}

function ofEarlierRelease(runId: string): InputError {
  return new InputError(
    `Run ${runId} of this job was started by an earlier release, whose staged pages this release can't read. Nothing ` +
      "was changed. Finish it with that release, or give it up with `--restart`: what it committed stays, and a new " +
      "run reads the rest again.",
  );
}

/** Makes a function that deletes the staging of a run that was given up. */
export function dropStagingOf(store: ObjectStore): (runId: string) => Promise<void> {
  return (runId) => store.deletePrefix(`_staging/${runId}/`);
}
