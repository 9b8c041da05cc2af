import { Context } from "@temporalio/activity";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { type CustomerReport, doneWithoutCalls } from "../../../domain/onboarding/batch/batch-rows.js";
import type { OutstandingRow } from "../../../domain/onboarding/batch/batch-state.js";
import type { BatchRunInput } from "../../../domain/onboarding/batch/started-batch.js";
import { afterFailure, UNPOSTED } from "../../../domain/onboarding/customer/customer-state.js";
import { customerWorkflowId } from "../../../domain/onboarding/identity.js";
import { findOutcome } from "../../../lake/onboarding/frozen-batch.js";
import { describeRunning } from "../../../temporal/running-workflows.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { endUnposted } from "./planned-outcomes.js";

const ASKED_AT_ONCE = 8;

interface InspectCustomersInput
  extends Pick<BatchRunInput, "scope" | "playbookKey" | "batchId" | "runId" | "sink"> {
  /** Silent rows. */
  readonly rows: readonly OutstandingRow[];
}

const ENDED_FROM_OUTSIDE = {
  error_class: "InterruptedError",
  error_message:
    "the customer's workflow was ended from outside before it reported its end, so it is not known here whether the onboarding was posted; runs retry looks for it before it posts anything",
};

/** Which silent rows still run, and reports for those that ended without one. */
export interface InspectCustomersResult {
  readonly running: readonly number[];
  readonly ended: readonly CustomerReport[];
}

/**
 * Inspects customers whose workflows have not reported their end. Where a workflow is gone, its row gets the outcome that
 * the workflow staged or started from. Without one, the workflow was ended from outside, and the row has failed.
 */
export async function inspectCustomers(
  deps: OnboardingDependencies,
  input: InspectCustomersInput,
): Promise<InspectCustomersResult> {
  const { client } = Context.current();
  const { scope, playbookKey, rows } = input;
  const running: number[] = [];
  const ended: CustomerReport[] = [];
  await mapConcurrent(ASKED_AT_ONCE, rows, async (row) => {
    const found = await describeRunning(client, customerWorkflowId(scope, playbookKey, row.identity));
    if (found !== undefined) running.push(row.row);
    else ended.push(await endOf(deps, input, row));
  });
  return { running, ended };
}

async function endOf(
  deps: OnboardingDependencies,
  input: InspectCustomersInput,
  { identity: _, prepare: _prepare, open, since, ...row }: OutstandingRow,
): Promise<CustomerReport> {
  const { batchId } = input;
  const { row: index, line, attempt } = row;
  const version = (open?.version ?? 0) + 1;
  const found = await findOutcome(deps.sealed, batchId, { line, attempt, version });
  if (found !== undefined) {
    const { status, requires_manual_review } = found;
    const record = { row: index, line, attempt, version };
    return doneWithoutCalls(index, {
      status,
      requiresManualReview: requires_manual_review ?? false,
      record,
    });
  }
  // The onboarding is posted and has its outcome. If the row counted as failed, a retry would post it a second time.
  if (open !== null) return doneWithoutCalls(index, { ...open, record: null });
  const state = afterFailure(UNPOSTED);
  const staged = await endUnposted(deps, input, row, new Date(since), state, ENDED_FROM_OUTSIDE);
  return { ...doneWithoutCalls(index, staged.ended), messageHash: staged.messageHash };
}
