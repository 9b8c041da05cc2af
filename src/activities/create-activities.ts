import { ApplicationFailure, activityInfo, CancelledFailure, cancellationSignal } from "@temporalio/activity";
import type { FrozenBulkRow } from "../domain/bulk/bulk-job.js";
import { InputError } from "../domain/failures.js";
import { endReason, type NewRun, type RunStatus } from "../domain/run.js";
import { isUnsealed, NOT_SEALED } from "../domain/sealer.js";
import { JOBS } from "../jobs/index.js";
import type { TableSpec } from "../lake/delta/delta-schema.js";
import { maintain } from "../lake/maintain/maintain.js";
import { FrozenBatches } from "../lake/onboarding/frozen-batch.js";
import { OpenCustomers } from "../lake/onboarding/open-customers.js";
import { sameLake } from "../lake/service-binding.js";
import { SealedRows } from "../lake/store/sealed-rows.js";
import { journalPrefix } from "../lake/sync/journal/journal.js";
import { applyRetention } from "../lake/sync/retention/apply-retention.js";
import { STREAMS } from "../streams/index.js";
import { TABLES } from "../tables.js";
import { closeGroup } from "./bulk/close-group.js";
import { finishBulk } from "./bulk/finish-bulk.js";
import { type BulkDependencies, planItems } from "./bulk/open-group.js";
import { publishRun } from "./bulk/publish-run.js";
import { workItems } from "./bulk/work-items.js";
import type { Dependencies } from "./dependencies.js";
import { withHeartbeat } from "./event-loop.js";
import { asActivityFailure, type GiveUp } from "./failure.js";
import { callHooks, type HookDependencies } from "./hooks/call-hooks.js";
import { findLate } from "./hooks/find-late.js";
import { sendHook } from "./hooks/send-hook.js";
import { finishBatch } from "./onboarding/batch/finish-batch.js";
import { tellRows } from "./onboarding/batch/hand-over.js";
import { planCustomers } from "./onboarding/batch/plan-customers.js";
import type { OnboardingDependencies } from "./onboarding/dependencies.js";
import { applySlices, findRows } from "./onboarding/follow/apply-slices.js";
import { workRows } from "./onboarding/follow/work-rows.js";
import { writeRunRow } from "./run-row.js";
import { RunWarnings } from "./run-warnings.js";
import {
  followRun,
  recordFailedFiring,
  type ScheduleDependencies,
  startFiredRun,
} from "./schedules/fired-run.js";
import { commit } from "./sync/commit/commit.js";
import type { SyncDependencies } from "./sync/dependencies.js";
import { finishRun } from "./sync/finish-run.js";
import { load } from "./sync/load/load.js";
import { materialize } from "./sync/materialize.js";
import { readSlice } from "./sync/read/read-slice.js";
import { commitEvents } from "./webhooks/commit-events.js";
import { dropFollowUp, planFollowUp } from "./webhooks/follow-up.js";

type EveryDependency = SyncDependencies &
  OnboardingDependencies &
  BulkDependencies &
  ScheduleDependencies &
  HookDependencies &
  MaintainDependencies;

/** Makes all activities over their dependencies. A worker registers them; workflows see only their types. */
export function createActivities(
  given: Omit<ScheduleDependencies & HookDependencies, "warnings" | "runEnded"> &
    Partial<Pick<BulkDependencies, "jobs">>,
) {
  const deps: EveryDependency = {
    streams: STREAMS,
    tables: TABLES,
    jobs: JOBS,
    ...given,
    warnings: new RunWarnings(given.log),
    batches: new FrozenBatches(given.sealed),
    open: new OpenCustomers(given.sealed),
    frozenRows: new SealedRows<FrozenBulkRow>(given.sealed),
    retention: applyRetention(given.asker.retention ?? {}),
    runEnded: (runId) => callHooks(deps, runId),
  };
  const tried =
    (until?: GiveUp) =>
    <I, R>(activity: (deps: EveryDependency, input: I) => Promise<R>) =>
    (input: I) =>
      asActivityFailure(() => activity(deps, input), until);
  const bound = tried();
  // What the service has done has to be written down, however long there is no room for it.
  const kept = tried("unless full");
  const byPolicy = tried("by policy");
  const activities = {
    closeGroup: kept(closeGroup),
    commit: bound(commit),
    commitEvents: bound(commitEvents),
    dropFollowUp: bound(dropFollowUp),
    followRun: bound(followRun),
    dropJournals: bound(dropJournals),
    finishBulk: kept(finishBulk),
    finishBatch: kept(finishBatch),
    finishRun: bound(finishRun),
    // The watch lasts as long as there are workers.
    findLate: byPolicy(findLate),
    findRows: (input?: Parameters<typeof findRows>[1]) => asActivityFailure(() => findRows(deps, input)),
    tellRows: bound(tellRows),
    load: bound(load),
    maintainLake: bound(maintainLake),
    materialize: bound(materialize),
    planItems: bound(planItems),
    publishRun: kept(publishRun),
    workItems: bound(workItems),
    planCustomers: kept(planCustomers),
    planFollowUp: bound(planFollowUp),
    sendHook: byPolicy(sendHook),
    recordFailedFiring: kept(recordFailedFiring),
    readSlice: bound(readSlice),
    applySlices: kept(applySlices),
    startFiredRun: bound(startFiredRun),
    workRows: kept(workRows),
  };
  const check = sameLake(deps.lake.store);
  return watchedActivities(activities, deps.warnings, (input) =>
    asActivityFailure(() => {
      if (isUnsealed(input)) throw new InputError(`the input of this activity ${NOT_SEALED}`);
      return check();
    }),
  );
}

export type Activities = ReturnType<typeof createActivities>;

/** Deletes journals once the history says that all of their content is committed (docs/inside/rules.md, "Staging"). */
async function dropJournals(
  { lake }: Dependencies,
  { runId, folders }: { readonly runId: string; readonly folders: readonly string[] },
): Promise<void> {
  await lake.store.deletePrefix(journalPrefix(runId), { folders });
}

type Activity = (input: never) => Promise<unknown>;

/**
 * Checks first what all activities need, sends their heartbeats, and logs their failures with the ids of what they worked
 * on.
 */
export function watchedActivities<A extends Readonly<Record<string, Activity>>>(
  activities: A,
  warnings: RunWarnings,
  check: (input: unknown) => Promise<void>,
): A {
  const watched = Object.entries(activities).map(([activity, work]) => [
    activity,
    async (input: never) => {
      try {
        await check(input);
        return await withHeartbeat(() => work(input));
      } catch (error) {
        if (error instanceof Error && !(error instanceof CancelledFailure)) {
          const { attempt, workflowExecution } = activityInfo();
          const { runId } = ((input as unknown) ?? {}) as { readonly runId?: string };
          const ids = {
            workflow_id: workflowExecution?.workflowId ?? "",
            ...(runId && { run_id: runId }),
            activity,
          };
          warnings.failed(ids, error, { attempt, ...factsOf(error) });
        }
        throw error;
      }
    },
  ]);
  return Object.fromEntries(watched) as A;
}

function factsOf(error: Error): Readonly<Record<string, unknown>> {
  if (!(error instanceof ApplicationFailure)) return {};
  const [facts] = (error.details ?? []) as readonly unknown[];
  return { ...(facts as object | undefined), class: error.type };
}

interface MaintainDependencies extends Dependencies {
  /** Every table that this version knows. */
  readonly tables: readonly TableSpec[];
  readonly retention: NonNullable<Parameters<typeof maintain>[2]["retention"]>;
}

/** Maintains the lake, and writes the run's row. What a killed attempt has done, the next one finds done. */
async function maintainLake(
  deps: MaintainDependencies,
  { retainDays, ...run }: NewRun & { readonly retainDays: number },
): Promise<RunStatus> {
  const { lake, tables, retention, log } = deps;
  const signal = cancellationSignal();
  const {
    tables: _,
    left_alone,
    ...report
  } = await maintain(lake, tables, { retainDays, retention, signal });
  for (const { why } of left_alone) log.warn({ run_id: run.runId }, why);
  log.info({ run_id: run.runId, ...report }, "maintained the lake");
  const reasons = left_alone.filter((one) => !one.by_owner).map(({ why }) => why);
  const status = reasons.length === 0 ? "completed" : "completed_with_failures";
  const why = endReason({ status, failed: { "table% left alone": reasons.length }, reasons });
  const options = { retain_days: retainDays };
  await writeRunRow(deps, { ...run, jobId: "", kind: "maintain", status, options, why });
  return status;
}
