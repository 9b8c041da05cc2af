import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
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

/** How a run stages what it reads; runs of release 0.1.0 say nothing of it. */
const STAGING_FORM = "journals";

/**
 * Joins the job's run that is going on, unless that is given up, or freezes the roster and starts a new one.
 *
 * @throws InputError where a run is going on that release 0.1.0 began: this version can't read what it has staged
 */
export async function startSync(client: Client, store: ObjectStore, job: SyncJob): Promise<StartedRun> {
  const { scope, taskQueue, roster, options, restart, signal, run } = job;
  const jobId = createHash("sha256").update(jobText(roster.sha256, options)).digest("hex");
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
    `Run ${runId} of this job was begun by an earlier release, which stages pages in another form. Nothing was ` +
      "changed. Finish it with that release, or give it up with `--restart`: what it committed stays, and the new run " +
      "reads the rest again.",
  );
}

/** Deletes what was staged for a run that nobody will look for any more. */
export function dropStagingOf(store: ObjectStore): (runId: string) => Promise<void> {
  return (runId) => store.deletePrefix(`_staging/${runId}/`);
}
