import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  TemporalFailure,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { callsOf } from "../../domain/counts.js";
import { customersOf, type OnboardBatchInput } from "../../domain/onboarding/batch/batch-state.js";
import { batchStatus, endOfBatch, type OnboardSummary } from "../../domain/onboarding/batch/batch-totals.js";
import { FINISHING } from "../../domain/phases.js";
import { reasonOf } from "../failure-reason.js";
import { HEARTBEATING } from "../policies.js";
import { runLog, tellStatus } from "../run-details.js";
import { RunPhases } from "../run-phases.js";
import { BatchRun } from "./batch-run.js";

const { finishBatch } = proxyActivities<Activities>(HEARTBEATING);

/**
 * Onboards the customers of a frozen file in a sliding window, and ends when every row is processed; rows that
 * wait for people stay with `follow`. When the batch is cancelled, a row that was not
 * posted becomes cancelled, and a posted one keeps its last status.
 */
export async function onboardBatch(input: OnboardBatchInput): Promise<OnboardSummary> {
  const root = CancellationScope.current();
  const { carried, phases: before, ...started } = input;
  const { batchId, runId } = input;
  if (!carried) runLog.info({ run_id: runId, kind: "onboard", batch_id: batchId }, "run begins");
  return CancellationScope.nonCancellable(async () => {
    const run = new BatchRun(input);
    const phases = new RunPhases(before);
    const began = Date.now();
    root.cancelRequested.catch(() => run.cancel());
    let step: string | undefined;
    try {
      const end = await run.run();
      phases.note("working", began);
      if (end === "long") {
        await condition(allHandlersFinished);
        await continueAsNew<typeof onboardBatch>({ ...started, carried: run.batch, phases: phases.all });
      }
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      step = reasonOf(error);
      phases.note("working", began);
    }
    phases.note(FINISHING, Date.now());
    const { manualReview, refusals, cancelled, upTo } = run.batch;
    const customers = customersOf(run.batch);
    const status = step === undefined ? batchStatus(customers, cancelled) : "failed";
    const summary = {
      run_id: runId,
      batch_id: batchId,
      status,
      ...endOfBatch(status, customers, refusals, step),
      customers,
      manual_review: manualReview,
      ...callsOf(run.batch),
      refusals,
    };
    const finish = { ...started, summary, rows: upTo, phases: phases.all };
    const { duration_ms, lake_root = null } = await finishBatch(finish);
    tellStatus(summary.status, `${summary.status}: ${customers.total} customers`);
    return { ...summary, duration_ms, lake_root };
  });
}
