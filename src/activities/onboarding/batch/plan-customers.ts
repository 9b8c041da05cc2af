import type {
  ChunkPlan,
  EndedRow,
  OutcomeRef,
  RowToRun,
} from "../../../domain/onboarding/batch/batch-rows.js";
import {
  afterFailure,
  afterStop,
  isOpenOutcome,
  UNPOSTED,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef } from "../../../domain/onboarding/customer/customer-step.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import type { CustomerRow } from "../../../domain/onboarding/customer.js";
import { isRight, type RightRow } from "../../../domain/onboarding/frozen-row.js";
import { withHeartbeat } from "../../heartbeat.js";
import { isSpent } from "../customer/call-prefix.js";
import { preparedId } from "../customer/prepare-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";
import { type FoundRow, findEarlier } from "./find-earlier.js";

interface PlanCustomersInput {
  readonly batchId: string;
  readonly runId: string;
  /** Rows `[from, to)` of the file. */
  readonly from: number;
  readonly to: number;
  /** Only these of them; null for all. */
  readonly only: readonly number[] | null;
  /** Run what failed, as a new attempt, and leave the rest as it is. */
  readonly retry: boolean;
  /** Begin nothing: what was not posted is cancelled. */
  readonly cancel: boolean;
  readonly sink: boolean;
}

/** Statuses that `runs retry` runs again. */
const RETRIED: ReadonlySet<string> = new Set(["failed", "error", "none", "expired_no_response"]);

/**
 * Plans a chunk of rows by what the tables know of them: rows to run by number and hashes, and the count of
 * those that have their outcome. Outcomes that are new are staged.
 */
export async function planCustomers(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
): Promise<ChunkPlan> {
  return withHeartbeat(() => planChunk(deps, input));
}

async function planChunk(deps: OnboardingDependencies, input: PlanCustomersInput): Promise<ChunkPlan> {
  const { batchId, from, to, only } = input;
  const { rows: found } = await findEarlier(deps, { batchId, from, to });
  const frozen = await deps.batches.rows(batchId, from, to);
  const run: RowToRun[] = [];
  const ended: EndedRow[] = [];
  const staged: OutcomeRef[] = [];
  for (const [at, row] of found.entries()) {
    const known = frozen[at];
    if (known === undefined || (only !== null && !only.includes(row.row))) continue;
    if (!isRight(known)) {
      ended.push(endedOf(row, row.state === "invalid"));
      continue;
    }
    const planned = await planOf(deps, input, row, known);
    if ("rowKey" in planned) run.push(planned);
    else ended.push(planned);
    if ("rowKey" in planned && row.state === "adopted") staged.push(refOf(row));
  }
  return { run, ended, staged };
}

async function planOf(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
  found: FoundRow,
  frozen: RightRow,
): Promise<RowToRun | EndedRow> {
  const { status, onboardingId } = found;
  const requiresManualReview = found.requiresManualReview ?? false;
  if (found.state === "run") {
    return input.cancel ? notRun(deps, input, runOf(found, frozen), "cancelled") : runOf(found, frozen);
  }
  if (input.retry && found.state === "kept" && RETRIED.has(status ?? "")) {
    const again = { ...runOf(found, frozen), attempt: found.attempt + 1, retry: true, before: onboardingId };
    if (input.cancel) return endedOf(found, false);
    const nameless = found.byExternalId && (await preparedId(deps, frozen)) === null;
    const spent = nameless && (await isSpent(deps, { ...again, batchId: input.batchId }));
    return spent ? notRun(deps, input, again, "needs_fp_id") : again;
  }
  const open = status !== null && onboardingId !== null && isOpenOutcome(status, requiresManualReview);
  if (open && !input.cancel) {
    const { version } = found;
    return { ...runOf(found, frozen), open: { onboardingId, status, requiresManualReview, version } };
  }
  return endedOf(found, found.state === "adopted");
}

function runOf({ row, line, attempt }: FoundRow, { identityHash, rowKey, customer }: RightRow): RowToRun {
  return {
    row,
    line,
    attempt,
    rowKey,
    identity: identityHash,
    prepare: isPrepared(customer),
    open: null,
    retry: false,
    before: null,
  };
}

function isPrepared({ create, vault, documents }: CustomerRow): boolean {
  return create || Object.keys(vault).length + Object.keys(documents).length > 0;
}

function refOf({ row, line, attempt, version }: FoundRow): OutcomeRef {
  return { row, line, attempt, version };
}

function endedOf(found: FoundRow, isNew: boolean): EndedRow {
  return {
    status: found.status ?? "invalid",
    requiresManualReview: found.requiresManualReview ?? false,
    record: isNew ? refOf(found) : null,
  };
}

/** A row that ends before it begins: the batch was cancelled, or its id can't be posted a second time. */
async function notRun(
  deps: OnboardingDependencies,
  { batchId, runId, sink }: PlanCustomersInput,
  { row, line, attempt, rowKey, retry, before }: RowToRun,
  why: "cancelled" | "needs_fp_id",
): Promise<EndedRow> {
  const startedAt = new Date().toISOString();
  const ref: CustomerRef = {
    batchId,
    runId,
    row,
    line,
    attempt,
    rowKey,
    retry,
    before,
    startedAt,
    sink,
    latch: runId,
  };
  const cancelled = why === "cancelled";
  const { outcome } = await stageOutcome(
    deps,
    { ...ref, recorded: UNPOSTED },
    cancelled ? afterStop(UNPOSTED) : afterFailure(UNPOSTED),
    cancelled
      ? {}
      : {
          error_class: "InputError",
          error_message:
            "known by its external id alone, which is the idempotency id: it can't be posted again",
          next_action: NEXT_ACTIONS.needsFpId,
        },
  );
  return { status: cancelled ? "cancelled" : "failed", requiresManualReview: false, record: outcome };
}
