import type { FrozenBulkRow } from "../domain/bulk/bulk-job.js";
import { isS3Address } from "../domain/lake-address.js";
import { scheduleFacts } from "../intake/schedules/schedules.js";
import { JOBS } from "../jobs/index.js";
import { FrozenBatches } from "../lake/onboarding/frozen-batch.js";
import { OpenCustomers } from "../lake/onboarding/open-customers.js";
import { sameLake } from "../lake/service-binding.js";
import { SealedRows } from "../lake/store/sealed-rows.js";
import { applyRetention } from "../lake/sync/retention/apply-retention.js";
import { STREAMS } from "../streams/index.js";
import { TABLES } from "../tables.js";
import { type AlertDependencies, checkAfterRun, checkRules } from "./alerts/check-alerts.js";
import { nextAlertMessage, recordAlertDelivery, sendAlert } from "./alerts/send-alert.js";
import { closeGroup } from "./bulk/close-group.js";
import { finishBulk } from "./bulk/finish-bulk.js";
import { markSeen } from "./bulk/mark-seen.js";
import { type BulkDependencies, planItems } from "./bulk/open-group.js";
import { publishRun } from "./bulk/publish-run.js";
import { workItems } from "./bulk/work-items.js";
import { type CallInput, makeCall } from "./calls/make-call.js";
import { asActivityFailure, asCallFailure } from "./failure.js";
import { type MaintainDependencies, maintainLake } from "./maintain-lake.js";
import { finishBatch } from "./onboarding/batch/finish-batch.js";
import { handOverRows, stopRows } from "./onboarding/batch/hand-over.js";
import { planCustomers } from "./onboarding/batch/plan-customers.js";
import type { OnboardingDependencies } from "./onboarding/dependencies.js";
import { findRows, settleRows } from "./onboarding/follow/settle-rows.js";
import { workRows } from "./onboarding/follow/work-rows.js";
import { recordOutcomes } from "./onboarding/record-outcomes.js";
import { RunWarnings } from "./run-warnings.js";
import {
  followRun,
  recordFailedFiring,
  type ScheduleDependencies,
  startFiredRun,
} from "./schedules/fired-run.js";
import { commit } from "./sync/commit/commit.js";
import type { SyncDependencies } from "./sync/dependencies.js";
import { dropJournals } from "./sync/drop-journals.js";
import { finishRun } from "./sync/finish-run.js";
import { load } from "./sync/load/load.js";
import { materialize } from "./sync/materialize.js";
import { readSlice } from "./sync/read/read-slice.js";
import { watchedActivities } from "./watched-activities.js";
import { commitEvents } from "./webhooks/commit-events.js";
import { dropFollowUp, planFollowUp } from "./webhooks/follow-up.js";

type EveryDependency = SyncDependencies &
  OnboardingDependencies &
  BulkDependencies &
  ScheduleDependencies &
  AlertDependencies &
  MaintainDependencies;

/** Their requests to a bucket are counted: the workflow adds them up, and the end of the run records them. */
const STEPS_OF_SYNC = ["readSlice", "load", "commit", "dropJournals", "materialize", "markSeen", "finishRun"];

/** Makes all activities over their dependencies. A worker registers them; workflows see only their types. */
export function createActivities(
  given: Omit<ScheduleDependencies & AlertDependencies, "warnings" | "runEnded" | "schedules"> &
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
    runEnded: () => checkAfterRun(deps),
    schedules: scheduleFacts,
  };
  type Activity<I, R> = (deps: EveryDependency, input: I) => Promise<R>;
  const bound = <I, R>(activity: Activity<I, R>) => {
    return (input: I) => asActivityFailure(() => activity(deps, input));
  };
  // What the service has done has to be written down, however long there is no room for it.
  const kept = <I, R>(activity: Activity<I, R>) => {
    return (input: I) => asActivityFailure(() => activity(deps, input), "wait");
  };
  const activities = {
    checkRules: bound(checkRules),
    closeGroup: kept(closeGroup),
    commit: bound(commit),
    commitEvents: bound(commitEvents),
    dropFollowUp: bound(dropFollowUp),
    followRun: bound(followRun),
    dropJournals: bound(dropJournals),
    finishBulk: kept(finishBulk),
    finishBatch: kept(finishBatch),
    finishRun: bound(finishRun),
    findRows: () => asActivityFailure(() => findRows(deps)),
    handOverRows: bound(handOverRows),
    load: bound(load),
    maintainLake: bound(maintainLake),
    makeCall: (input: CallInput) => asCallFailure(() => makeCall(deps, input)),
    markSeen: bound(markSeen),
    materialize: bound(materialize),
    nextAlertMessage: bound(nextAlertMessage),
    planItems: bound(planItems),
    publishRun: kept(publishRun),
    workItems: bound(workItems),
    planCustomers: kept(planCustomers),
    planFollowUp: bound(planFollowUp),
    recordAlertDelivery: kept(recordAlertDelivery),
    // Its policy alone says how often it is tried: for about a day.
    sendAlert: (input: Parameters<typeof sendAlert>[1]) =>
      asActivityFailure(() => sendAlert(deps, input), "give up", Number.POSITIVE_INFINITY),
    recordFailedFiring: kept(recordFailedFiring),
    readSlice: bound(readSlice),
    recordOutcomes: kept(recordOutcomes),
    settleRows: kept(settleRows),
    startFiredRun: bound(startFiredRun),
    stopRows: bound(stopRows),
    workRows: kept(workRows),
  };
  const check = sameLake(deps.lake.store);
  const counted = isS3Address(deps.lake.store.address) ? STEPS_OF_SYNC : [];
  return watchedActivities(activities, deps.warnings, () => asActivityFailure(check), new Set(counted));
}

export type Activities = ReturnType<typeof createActivities>;
