import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type { BatchRunInput, ChunkPlan, RowToRun } from "../../../domain/onboarding/batch/batch-state.js";
import { planRow } from "../../../domain/onboarding/batch/row-plan.js";
import {
  afterFailure,
  afterStop,
  type CustomerState,
  rowVerdict,
  UNPOSTED,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import { isRight, type RightRow, type WrongRow } from "../../../domain/onboarding/customer.js";
import { customerKey } from "../../../domain/onboarding/follow/shard.js";
import { playbookKeyOf } from "../../../domain/onboarding/identity.js";
import {
  adoptedEvent,
  NOTHING_KNOWN,
  namesOf,
  type Outcome,
  type OutcomeRow,
} from "../../../domain/onboarding/outcome.js";
import { isOpen, type Verdict, verdictOf } from "../../../domain/onboarding/verdict.js";
import { earlierOutcomes } from "../../../lake/onboarding/earlier-outcomes.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../../lake/store/sealed-store.js";
import { openColumn } from "../../../lake/tables/encrypted-column.js";
import { onboardingEvents, onboardings } from "../../../lake/tables/onboardings.js";
import { isSpent } from "../customer/call-prefix.js";
import { preparedId } from "../customer/prepare-customer.js";
import { stageOutcome } from "../customer/row-in-work.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { recordOutcomes } from "../record-outcomes.js";

const PLANNED_AT_ONCE = 8;

const LACKS_FP_ID = {
  error_class: "InputError",
  error_message:
    "the row names its customer by an external id alone, which is also the idempotency id, so its onboarding can't be posted again",
  next_action: NEXT_ACTIONS.needsFpId,
};

interface PlanCustomersInput extends Pick<BatchRunInput, "batchId" | "runId" | "retry" | "plainOutput"> {
  readonly from: number;
  readonly to: number;
  /** Only these of the rows; null for all. */
  readonly only: readonly number[] | null;
  readonly cancel: boolean;
}

interface PlannedRow {
  readonly run?: RowToRun;
  readonly ended?: Verdict;
  readonly outcome?: Outcome | undefined;
}

/**
 * Plans a range of rows by what the tables know of them, before anything is posted, and writes the outcomes of rows that
 * have one without running. Its result goes into a history, so it names rows by number and hashes and holds nothing
 * personal.
 */
export async function planCustomers(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
): Promise<ChunkPlan> {
  const { batchId, from, to, only } = input;
  // A post can't be undone, so check first that what comes of it can be written.
  for (const { name } of [onboardingEvents, onboardings]) await deps.lake.table(name).writableSnapshot();
  const { playbook } = await deps.batches.require(batchId);
  const rows = await deps.batches.rows(batchId, from, to);
  const lines = { from: rows[0]?.line ?? 0, to: rows.at(-1)?.line ?? -1 };
  const keys = rows.filter(isRight).map(({ rowKey }) => rowKey);
  const { own, others } = await earlierOutcomes(deps.lake, batchId, lines, keys);
  const wanted = rows.filter(({ row }) => only === null || only.includes(row));
  const plans = await mapConcurrent(PLANNED_AT_ONCE, wanted, async (row) =>
    isRight(row)
      ? planRight(deps, input, row, own.get(row.line), others.get(row.rowKey))
      : planWrong(row, own.get(row.line), playbook),
  );
  await recordOutcomes(
    deps,
    plans.flatMap(({ outcome }) => (outcome === undefined ? [] : { run: input, outcome })),
  );
  return {
    run: plans.flatMap(({ run }) => run ?? []),
    ended: plans.flatMap(({ ended }) => ended ?? []),
  };
}

function planWrong(
  { line, name, problems }: WrongRow,
  own: OutcomeRow | undefined,
  playbook: string,
): PlannedRow {
  const ended = { status: "invalid", review: false };
  if (own !== undefined) return { ended };
  const words = problems.map(({ column, rule }) => (column === null ? rule : `${column}: ${rule}`));
  const outcome = {
    ...NOTHING_KNOWN,
    ...namesOf(name),
    line,
    attempt: 1,
    version: 1,
    row_key: null,
    playbook_key: playbookKeyOf(playbook),
    status: ended.status,
    error_class: "InputError",
    error_message: words.join("; "),
    next_action: "fix the row and run the file again",
  };
  return { ended, outcome };
}

async function planRight(
  deps: OnboardingDependencies,
  input: PlanCustomersInput,
  row: RightRow,
  own: OutcomeRow | undefined,
  other: OutcomeRow | undefined,
): Promise<PlannedRow> {
  const { batchId } = input;
  if (own !== undefined && isOpen(verdictOf(own))) {
    // The next version is made from it, also where its staging is gone.
    const kept = keptOutcome(deps.sealed, batchId, own);
    if (!(await kept.has())) await kept.put(asOutcomeOf(deps.sealed, row, own));
  }
  const plan = planRow({ own, other }, input);
  const { attempt } = plan;
  const run = runOf(row, attempt, (await deps.batches.require(batchId)).playbook);
  switch (plan.kind) {
    case "run":
      return { run };
    case "cancel":
      return endUnposted(deps, batchId, run, afterStop(UNPOSTED), {});
    case "retry": {
      const again = { ...run, retry: true, before: plan.before };
      const isNamed = row.customer.externalId === null || (await preparedId(deps, row)) !== null;
      if (isNamed || !(await isSpent(deps, { ...again, batchId }))) return { run: again };
      return endUnposted(deps, batchId, again, afterFailure(UNPOSTED), LACKS_FP_ID);
    }
    default: {
      const { outcome, version, follows } = plan;
      const { onboarding_id: onboardingId } = outcome;
      const verdict = verdictOf(outcome);
      // Both rows are the same to the last value.
      const adopted = () => {
        const events = [adoptedEvent(outcome, outcome.status)];
        return { ...asOutcomeOf(deps.sealed, row, outcome), attempt, version: 1, events };
      };
      const reused = plan.kind === "reuse" ? adopted() : undefined;
      if (!follows || onboardingId === null) return { ended: verdict, outcome: reused };
      if (reused !== undefined) await keptOutcome(deps.sealed, batchId, reused).put(reused);
      const open = { ...verdict, onboardingId, version };
      return { run: { ...run, open }, outcome: reused };
    }
  }
}

function runOf(
  { row, line, rowKey, identityHash, customer }: RightRow,
  attempt: number,
  playbook: string,
): RowToRun {
  const { create, vault, documents } = customer;
  const prepare = create || Object.keys(vault).length + Object.keys(documents).length > 0;
  return {
    row,
    line,
    attempt,
    rowKey,
    key: customerKey(playbookKeyOf(playbook), identityHash),
    prepare,
    open: null,
    retry: false,
    before: null,
  };
}

async function endUnposted(
  deps: OnboardingDependencies,
  batchId: string,
  row: RowToRun,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<PlannedRow> {
  const input = { ...row, batchId, startedAt: new Date().toISOString() };
  const { outcome } = await stageOutcome(deps, { input, recorded: UNPOSTED }, state, facts);
  return { ended: rowVerdict(state), outcome };
}

function asOutcomeOf(
  { sealer }: SealedStore,
  { line, rowKey, customer }: RightRow,
  { batch_id: _, run_id: _run, ...earlier }: OutcomeRow,
): Outcome {
  const output = earlier.output && openColumn(sealer, "onboardings", "output", earlier.output);
  return { ...earlier, line, kind: customer.kind, row_key: rowKey, output };
}
