import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type {
  CustomerReport,
  OutcomeRef,
  OutstandingRow,
} from "../../../domain/onboarding/batch/batch-rows.js";
import { afterFailure, UNPOSTED } from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef } from "../../../domain/onboarding/customer/customer-step.js";
import { findOutcome } from "../../../lake/onboarding/staged-outcomes.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";
import { type CustomerNamespace, isRunning } from "./customer-workflows.js";

const ASKED_AT_ONCE = 8;

interface InspectCustomersInput extends CustomerNamespace {
  readonly batchId: string;
  readonly runId: string;
  readonly sink: boolean;
  /** Rows of which nothing was heard for long. */
  readonly rows: readonly OutstandingRow[];
}

/** What was found of silent rows: those that go on, and the reports that those that ended did not give. */
export interface InspectCustomersResult {
  readonly running: readonly number[];
  readonly ended: readonly CustomerReport[];
}

/**
 * Looks for customers that have not told their end: one whose workflow is gone tells it by the outcome that it
 * staged, or that it took up; without one it was ended from outside, and the row has failed.
 */
export async function inspectCustomers(
  deps: OnboardingDependencies,
  input: InspectCustomersInput,
): Promise<InspectCustomersResult> {
  return withHeartbeat(async () => {
    const running: number[] = [];
    const ended: CustomerReport[] = [];
    await mapConcurrent(ASKED_AT_ONCE, input.rows, async (row) => {
      if (await isRunning(input, row.identity)) running.push(row.row);
      else ended.push(await endOf(deps, input, row));
    });
    return { running, ended };
  });
}

async function endOf(
  deps: OnboardingDependencies,
  { batchId, runId, sink }: InspectCustomersInput,
  row: OutstandingRow,
): Promise<CustomerReport> {
  const { line, attempt, open } = row;
  const version = (open?.version ?? 0) + 1;
  const found = await findOutcome(deps.sealed, batchId, { line, attempt, version });
  if (found !== undefined) {
    const { status, requires_manual_review } = found;
    return reportOf(row.row, status, requires_manual_review ?? false, {
      row: row.row,
      line,
      attempt,
      version,
    });
  }
  // It is posted and its outcome stands: failed, a retry would post it a second time.
  if (open !== null) return reportOf(row.row, open.status, open.requiresManualReview, null);
  const ref: CustomerRef = {
    batchId,
    runId,
    row: row.row,
    line,
    attempt,
    rowKey: row.rowKey,
    sink,
    latch: runId,
    retry: row.retry,
    before: row.before,
    startedAt: new Date(row.since).toISOString(),
  };
  const { outcome, messageHash } = await stageOutcome(
    deps,
    { ...ref, recorded: UNPOSTED },
    afterFailure(UNPOSTED),
    {
      error_class: "InterruptedError",
      error_message:
        "the customer's workflow was ended from outside before it told its end. Whether the onboarding was posted is not known here; it is looked for before anything is posted again",
    },
  );
  return {
    kind: "done",
    row: row.row,
    status: "failed",
    requiresManualReview: false,
    record: outcome,
    calls: 0,
    messageHash,
    outputAwaited: false,
  };
}

function reportOf(
  row: number,
  status: string,
  requiresManualReview: boolean,
  record: OutcomeRef | null,
): CustomerReport {
  return {
    kind: "done",
    row,
    status,
    requiresManualReview,
    record,
    calls: 0,
    messageHash: null,
    outputAwaited: false,
  };
}
