import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type {
  BatchRow,
  BatchRunInput,
  ChunkPlan,
  EndedRow,
  RowToRun,
} from "../../../domain/onboarding/batch/batch-rows.js";
import { planRow } from "../../../domain/onboarding/batch/row-plan.js";
import {
  afterFailure,
  afterStop,
  type CustomerState,
  isOpenOutcome,
  rowStatus,
  UNPOSTED,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import {
  type FrozenRow,
  isRight,
  type RightRow,
  type WrongRow,
} from "../../../domain/onboarding/customer.js";
import {
  adoptedEvent,
  NOTHING_KNOWN,
  namesOf,
  type Outcome,
  type OutcomeName,
  type OutcomeRow,
} from "../../../domain/onboarding/outcome.js";
import { earlierOutcomes } from "../../../lake/onboarding/earlier-outcomes.js";
import { findOutcome, putOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../../lake/store/sealed-store.js";
import { openColumn } from "../../../lake/tables/encrypted-column.js";
import { isSpent } from "../customer/call-prefix.js";
import { preparedId } from "../customer/prepare-customer.js";
import { stageOutcome } from "../customer/stage-outcome.js";
import type { OnboardingDependencies } from "../dependencies.js";

const PLANNED_AT_ONCE = 8;

const LACKS_FP_ID = {
  error_class: "InputError",
  error_message:
    "the row names its customer by an external id alone, which is also the idempotency id, so its onboarding can't be posted again",
  next_action: NEXT_ACTIONS.needsFpId,
};

interface PlanCustomersInput extends Pick<BatchRunInput, "batchId" | "retry"> {
  /** Rows `[from, to)` of the file. */
  readonly from: number;
  readonly to: number;
  /** Only these of the rows; null for all. */
  readonly only: readonly number[] | null;
  readonly cancel: boolean;
}

/** A planned row: either it runs, perhaps with a staged outcome to be written meanwhile, or it has ended. */
type PlannedRow = { readonly run: RowToRun; readonly staged?: OutcomeName } | { readonly ended: EndedRow };

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
      return endUnposted(deps, batchId, run, afterStop(UNPOSTED), {});
    case "retry": {
      const again = { ...run, retry: true, before: plan.before };
      if (!(await lacksFpId(deps, batchId, row, again))) return { run: again };
      return endUnposted(deps, batchId, again, afterFailure(UNPOSTED), LACKS_FP_ID);
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

/** Stages the outcome of a row that breaks rules and was therefore not sent. */
async function stageInvalid(
  sealed: SealedStore,
  batchId: string,
  { row, line, name, problems }: WrongRow,
): Promise<OutcomeName> {
  const words = problems.map(({ column, rule }) => (column === null ? rule : `${column}: ${rule}`));
  const outcome = { line, attempt: 1, version: 1 };
  await putOutcome(sealed, batchId, {
    ...NOTHING_KNOWN,
    ...namesOf(name),
    ...outcome,
    row,
    row_key: null,
    status: "invalid",
    error_class: "InputError",
    error_message: words.join("; "),
    next_action: "fix the row and run the file again",
  });
  return outcome;
}

/** Stages the outcome of a row that ends without being posted; `state` says how. */
async function endUnposted(
  deps: OnboardingDependencies,
  batchId: string,
  row: BatchRow,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<{ readonly ended: EndedRow }> {
  const input = { ...row, batchId, startedAt: new Date().toISOString(), recorded: UNPOSTED };
  const { outcome = null } = await stageOutcome(deps, input, state, facts);
  return { ended: { status: rowStatus(state), requiresManualReview: false, record: outcome } };
}

/** Stages another batch's outcome as this row's; both rows are the same to the last value. */
async function stageReused(
  sealed: SealedStore,
  batchId: string,
  frozen: RightRow,
  attempt: number,
  other: OutcomeRow,
): Promise<OutcomeName> {
  const outcome = { line: frozen.line, attempt, version: 1 };
  const events = [adoptedEvent(other, other.status)];
  await putOutcome(sealed, batchId, { ...asOutcomeOf(sealed, frozen, other), ...outcome, events });
  return outcome;
}

/** Stages the row's own open outcome again where its staging is gone: the next version is made from it. */
async function restageOpen(
  sealed: SealedStore,
  batchId: string,
  row: RightRow,
  own: OutcomeRow,
): Promise<void> {
  if (!isOpenOutcome(own.status, own.requires_manual_review ?? false)) return;
  if ((await findOutcome(sealed, batchId, own)) !== undefined) return;
  await putOutcome(sealed, batchId, asOutcomeOf(sealed, row, own));
}

function asOutcomeOf(
  { sealer }: SealedStore,
  { row, line, rowKey, customer }: RightRow,
  { batch_id: _, run_id: _run, playbook_key: _key, ...known }: OutcomeRow,
): Outcome {
  const output = known.output && openColumn(sealer, "onboardings", "output", known.output);
  return { ...known, row, line, kind: customer.kind, row_key: rowKey, output };
}
