import { hash } from "node:crypto";
import { activityInfo, Context } from "@temporalio/activity";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import type { NewRun } from "../../domain/run.js";
import { jobText, rosterText, type SyncRun, syncWorkflowId } from "../../domain/sync/job.js";
import { followUpJob } from "../../domain/webhooks/event-plan.js";
import { freezeRoster, GROUP_SIZE, usersInRoster } from "../../lake/sync/frozen-roster.js";
import {
  endTaking,
  followUpNames,
  noteTaken,
  type StagedFollowUp,
  stagedFollowUp,
} from "../../lake/webhooks/staged-events.js";
import { defaultStreams } from "../../streams/index.js";
import type { Dependencies } from "../dependencies.js";
import type { SyncDependencies } from "../sync/dependencies.js";

const MOST_FOLLOW_UPS = 5_000;
const READ_AT_ONCE = 16;

export interface PlannedSync extends Omit<SyncRun, keyof NewRun> {
  readonly workflowId: string;
}

/** Plans a run for follow-ups; those of a running sync's users wait, as it may have read their links before. */
export async function planFollowUp(
  deps: SyncDependencies,
  { scope, runId }: { readonly scope: string; readonly runId: string },
): Promise<{ readonly job: PlannedSync | null; readonly waiting: number }> {
  const staged = await readableFollowUps(deps, (await followUpNames(deps.sealed)).slice(0, MOST_FOLLOW_UPS));
  const busy = await busyUsers(deps, new Set(staged.map(({ fpId }) => fpId)));
  const ready = staged.filter(({ fpId }) => !busy.has(fpId));
  const waiting = staged.length - ready.length;
  if (ready.length === 0) return { job: null, waiting };
  const { taken, users, options } = followUpJob(ready, defaultStreams(deps.streams));
  const rows = users.map((fp_id) => ({ fp_id }));
  const rosterSha256 = hash("sha256", rosterText(rows));
  const job = hash("sha256", jobText(rosterSha256, options));
  await freezeRoster(deps.lake.store, runId, rows);
  const names = taken.map(({ name }) => name);
  await noteTaken(deps.sealed, runId, names);
  const roster = { sha256: rosterSha256, users: rows.length, groupSize: GROUP_SIZE };
  const planned = { workflowId: syncWorkflowId(scope, job), jobId: job.slice(0, 16), roster, options };
  return { job: planned, waiting };
}

async function readableFollowUps(
  { sealed, log }: Dependencies,
  names: readonly string[],
): Promise<StagedFollowUp[]> {
  const read = await mapConcurrent(READ_AT_ONCE, names, (name) =>
    stagedFollowUp(sealed, name).catch((error: unknown) => {
      // It must not keep the others waiting.
      log.warn({ followUp: name, err: error }, "a follow-up can't be read; it stays in the staging area");
      return undefined;
    }),
  );
  return read.filter((followUp) => followUp !== undefined);
}

/** Deletes the follow-ups of a run that started, or the staging of one that did not. */
export async function dropFollowUp(
  { lake, sealed }: Dependencies,
  { runId, started }: { readonly runId: string; readonly started: boolean },
): Promise<void> {
  await endTaking(sealed, runId, started);
  if (!started) await lake.staging.dropRun(runId);
}

async function busyUsers({ lake }: Dependencies, users: ReadonlySet<string>): Promise<Set<string>> {
  const busy = new Set<string>();
  if (users.size === 0) return busy;
  const query = `ExecutionStatus = "Running" AND WorkflowType = "sync" AND TaskQueue = "${activityInfo().taskQueue}"`;
  for await (const { memo } of Context.current().client.workflow.list({ query })) {
    for (const user of await usersInRoster(lake.store, String(memo?.runId), users)) busy.add(user);
  }
  return busy;
}
