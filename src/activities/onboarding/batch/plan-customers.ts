import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type {
  ChunkPlan,
  EndedRow,
  OutcomeRef,
  RowToRun,
} from "../../../domain/onboarding/batch/batch-rows.js";
import { planRow } from "../../../domain/onboarding/batch/row-plan.js";
import type { BatchRunInput } from "../../../domain/onboarding/batch/started-batch.js";
import { afterFailure, afterStop, UNPOSTED } from "../../../domain/onboarding/customer/customer-state.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import { type FrozenRow, isRight, type RightRow } from "../../../domain/onboarding/frozen-row.js";
import type { OutcomeRow } from "../../../domain/onboarding/outcome.js";
import { earlierOutcomes } from "../../../lake/onboarding/earlier-outcomes.js";
import { isSpent } from "../customer/call-prefix.js";
import { preparedId } from "../customer/prepare-customer.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { endUnposted, restageOpen, stageInvalid, stageReused } from "./planned-outcomes.js";

const PLANNED_AT_ONCE = 8;

const LACKS_FP_ID = {
  error_class: "InputError",
  error_message:
    "the row names its customer by an external id alone, which is also the idempotency id, so its onboarding can't be posted again",
  next_action: NEXT_ACTIONS.needsFpId,
};

interface PlanCustomersInput extends Pick<BatchRunInput, "batchId" | "runId" | "retry" | "sink"> {
  /** Rows `[from, to)` of the file. */
  readonly from: number;
  readonly to: number;
  /** Only these of the rows; null for all. */
  readonly only: readonly number[] | null;
  readonly cancel: boolean;
}

/** A planned row: either it runs, perhaps with a staged outcome to be written meanwhile, or it has ended. */
type PlannedRow = { readonly run: RowToRun; readonly staged?: OutcomeRef } | { readonly ended: EndedRow };

/**
 * Plans a range of rows by what the tables know of them, before anything is posted, and stages new outcomes. Its result
 * goes into a history, so it names rows by number and hashes and holds nothing personal.
 */
export async function planCustomers(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
): Promise<ChunkPlan> {
  const { batchId, from, to, only } = input;
  const rows = await deps.batches.rows(batchId, from, to);
  const lines = { from: rows[0]?.line ?? 0, to: rows.at(-1)?.line ?? -1 };
  const keys = rows.filter(isRight).map(({ rowKey }) => rowKey);
  const { own, others } = await earlierOutcomes(deps.lake, batchId, lines, keys);
  const wanted = rows.filter(({ row }) => only === null || only.includes(row));
  const plans = await mapConcurrent(PLANNED_AT_ONCE, wanted, (row) =>
    isRight(row)
      ? planRight(deps, input, row, own.get(row.line), others.get(row.rowKey))
      : planWrong(deps, input, row, own.get(row.line)),
  );
  return {
    run: plans.flatMap((plan) => ("run" in plan ? plan.run : [])),
    ended: plans.flatMap((plan) => ("ended" in plan ? plan.ended : [])),
    staged: plans.flatMap((plan) => ("run" in plan ? (plan.staged ?? []) : [])),
  };
}

async function planWrong(
  { sealed }: OnboardingDependencies,
  { batchId }: PlanCustomersInput,
  row: Exclude<FrozenRow, RightRow>,
  own: OutcomeRow | undefined,
): Promise<PlannedRow> {
  const record = own === undefined ? await stageInvalid(sealed, batchId, row) : null;
  return { ended: { status: "invalid", requiresManualReview: false, record } };
}

async function planRight(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
  row: RightRow,
  own: OutcomeRow | undefined,
  other: OutcomeRow | undefined,
): Promise<PlannedRow> {
  const { batchId } = input;
  if (own !== undefined) await restageOpen(deps.sealed, batchId, row, own);
  const plan = planRow({ own, other }, input);
  const { attempt } = plan;
  const run = runOf(row, attempt);
  switch (plan.kind) {
    case "run":
      return { run };
    case "cancel":
      return endUnposted(deps, input, run, afterStop(UNPOSTED), {});
    case "retry": {
      const again = { ...run, retry: true, before: plan.before };
      if (!(await lacksFpId(deps, batchId, row, again))) return { run: again };
      return endUnposted(deps, input, again, afterFailure(UNPOSTED), LACKS_FP_ID);
    }
    default: {
      const { outcome, version, follows } = plan;
      const { status, onboarding_id: onboardingId } = outcome;
      const requiresManualReview = outcome.requires_manual_review ?? false;
      const staged =
        plan.kind === "reuse" ? await stageReused(deps.sealed, batchId, row, attempt, outcome) : null;
      if (!follows || onboardingId === null)
        return { ended: { status, requiresManualReview, record: staged } };
      const open = { onboardingId, status, requiresManualReview, version };
      return { run: { ...run, open }, ...(staged && { staged }) };
    }
  }
}

function runOf({ row, line, rowKey, identityHash, customer }: RightRow, attempt: number): RowToRun {
  const { create, vault, documents } = customer;
  const prepare = create || Object.keys(vault).length + Object.keys(documents).length > 0;
  return {
    row,
    line,
    attempt,
    rowKey,
    identity: identityHash,
    prepare,
    open: null,
    retry: false,
    before: null,
  };
}

/** Whether a retried row is known by its external id alone, which can't be posted a second time. */
async function lacksFpId(
  deps: OnboardingDependencies,
  batchId: string,
  row: RightRow,
  again: RowToRun,
): Promise<boolean> {
  if (row.customer.externalId === null || (await preparedId(deps, row)) !== null) return false;
  return isSpent(deps, { ...again, batchId });
}
