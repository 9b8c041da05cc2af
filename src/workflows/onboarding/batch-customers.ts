import {
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from "@temporalio/workflow";
import type { RowToRun } from "../../domain/onboarding/batch/batch-rows.js";
import { areOutputsExpected, type BatchState } from "../../domain/onboarding/batch/batch-state.js";
import type { OnboardBatchInput } from "../../domain/onboarding/batch/started-batch.js";
import type { CustomerInput } from "../../domain/onboarding/customer/customer-input.js";
import { customerWorkflowId } from "../../domain/onboarding/identity.js";
import { TASK_TIMEOUT } from "../../domain/run.js";
import { unlessRunning } from "../child-start.js";
import { stopCustomer, watchCustomer } from "./messages.js";
import { onboardCustomer } from "./onboard-customer.js";

/** Starts the workflow of a row's customer; undefined where that works for another batch or row already. */
export function startCustomer(
  input: OnboardBatchInput,
  batch: BatchState,
  row: RowToRun,
): Promise<ChildWorkflowHandle<typeof onboardCustomer> | undefined> {
  return unlessRunning(
    startChild(onboardCustomer, {
      workflowId: idOf(input, row),
      args: [customerInput(input, batch, row)],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowTaskTimeout: TASK_TIMEOUT,
    }),
  );
}

/** Asks a busy customer to report when it is processed or free. @throws where its workflow has just ended */
export async function waitForCustomer(
  input: OnboardBatchInput,
  batch: BatchState,
  { identity, prepare: _, ...row }: RowToRun,
): Promise<void> {
  const { batchId, runId, sink } = input;
  const batchWorkflowId = workflowInfo().workflowId;
  const customer = getExternalWorkflowHandle(idOf(input, { identity }));
  const waiter = { ...row, batchWorkflowId, batchId, runId, sink, latch: authEpoch(input, batch) };
  await customer.signal(watchCustomer, waiter);
}

/** Tells a customer that its batch is cancelled. */
export async function tellToStop(input: OnboardBatchInput, row: RowToRun): Promise<void> {
  const customer = getExternalWorkflowHandle(idOf(input, row));
  await customer.signal(stopCustomer, { batchId: input.batchId }).catch(() => undefined);
}

function idOf({ scope, playbookKey }: OnboardBatchInput, { identity }: Pick<RowToRun, "identity">): string {
  return customerWorkflowId(scope, playbookKey, identity);
}

/** Names an epoch of credentials: refused ones stop all calls of their epoch; a resumed batch begins another. */
function authEpoch({ runId }: OnboardBatchInput, { resumes }: BatchState): string {
  return `${runId}/${resumes}`;
}

function customerInput(
  input: OnboardBatchInput,
  batch: BatchState,
  { identity: _, ...row }: RowToRun,
): CustomerInput {
  const { batchId, runId, syncTimeoutSecs, sink, plainOutput, timing } = input;
  return {
    ...row,
    batchId,
    runId,
    syncTimeoutSecs,
    sink,
    plainOutput,
    timing,
    latch: authEpoch(input, batch),
    startedAt: new Date().toISOString(),
    batchWorkflowId: workflowInfo().workflowId,
    outputExpected: areOutputsExpected(batch),
  };
}
