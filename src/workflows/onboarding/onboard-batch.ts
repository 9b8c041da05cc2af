import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { batchStatus, type OnboardSummary } from "../../domain/onboarding/batch/batch-totals.js";
import { HEARTBEATING } from "../policies.js";
import { tellStatus } from "../run-details.js";
import { runLog } from "../run-log.js";
import type { OnboardBatchInput } from "./batch-input.js";
import { BatchRun } from "./batch-run.js";

const { finishBatch } = proxyActivities<Activities>(HEARTBEATING);

/**
 * Onboards the customers of a frozen file in a sliding window of child workflows, and ends when every row is
 * processed; customers for whom people are waited for go on without it. A cancelled batch ends in order: what
 * was not posted is cancelled, what was keeps its last status.
 */
export async function onboardBatch(input: OnboardBatchInput): Promise<OnboardSummary> {
  const root = CancellationScope.current();
  const { batchId, runId, carried } = input;
  if (!carried) runLog.info({ run_id: runId, kind: "onboard", batch_id: batchId }, "run begins");
  return CancellationScope.nonCancellable(async () => {
    const batch = new BatchRun(input);
    root.cancelRequested.catch(() => batch.cancel());
    if ((await batch.go()) === "long") {
      await condition(allHandlersFinished);
      await continueAsNew<typeof onboardBatch>({ ...input, carried: batch.carry() });
    }
    const { startedAt, firing, options } = input;
    const { counts, manualReview, calls, refusals, cancelled } = batch.window;
    const summary = {
      run_id: runId,
      batch_id: batchId,
      status: batchStatus(counts, cancelled),
      customers: counts,
      manual_review: manualReview,
      calls,
      refusals,
    };
    const { duration_ms } = await finishBatch({
      summary,
      rows: batch.upTo,
      options,
      startedAt,
      ...(firing && { firing }),
    });
    tellStatus(summary.status, `${summary.status}: ${counts.total} customers`);
    return { ...summary, duration_ms };
  });
}
