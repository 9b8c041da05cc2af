import { workflowInfo } from "@temporalio/workflow";
import type { RowToRun } from "../../domain/onboarding/batch/batch-rows.js";
import { areOutputsExpected, type BatchState } from "../../domain/onboarding/batch/batch-state.js";
import type { OnboardBatchInput } from "../../domain/onboarding/batch/started-batch.js";
import { customerKey, type HandedRow } from "../../domain/onboarding/follow/shard.js";

/** A row as its batch hands it over. */
export function handedRow(
  input: OnboardBatchInput,
  batch: BatchState,
  { identity, ...row }: RowToRun,
): HandedRow {
  const { batchId, runId, syncTimeoutSecs, sink, plainOutput, timing } = input;
  return {
    key: customerKey(input.playbookKey, identity),
    input: {
      ...row,
      batchId,
      runId,
      syncTimeoutSecs,
      sink,
      plainOutput,
      timing,
      // Names an epoch of credentials: refused ones stop all calls of their epoch; a resumed batch begins another.
      latch: `${runId}/${batch.resumes}`,
      startedAt: new Date().toISOString(),
      batchWorkflowId: workflowInfo().workflowId,
      outputExpected: areOutputsExpected(batch),
    },
  };
}
