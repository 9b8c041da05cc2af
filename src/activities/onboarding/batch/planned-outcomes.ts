import type { EndedRow, OutcomeRef, RowInRun } from "../../../domain/onboarding/batch/batch-rows.js";
import type { BatchRunInput } from "../../../domain/onboarding/batch/started-batch.js";
import {
  type CustomerState,
  isOpenOutcome,
  rowStatus,
  UNPOSTED,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef } from "../../../domain/onboarding/customer/customer-step.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import type { RightRow, WrongRow } from "../../../domain/onboarding/frozen-row.js";
import {
  adoptedEvent,
  NOTHING_KNOWN,
  namesOf,
  type Outcome,
  type OutcomeRow,
} from "../../../domain/onboarding/outcome.js";
import { findOutcome, putOutcome } from "../../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../../lake/store/sealed-store.js";
import { openColumn } from "../../../lake/tables/encrypted-column.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";

/** Stages the outcome of a row that breaks rules and was therefore not sent. */
export async function stageInvalid(
  sealed: SealedStore,
  batchId: string,
  { row, line, name, problems }: WrongRow,
): Promise<OutcomeRef> {
  const words = problems.map(({ column, rule }) => (column === null ? rule : `${column}: ${rule}`));
  const ref = { row, line, attempt: 1, version: 1 };
  await putOutcome(sealed, batchId, {
    ...NOTHING_KNOWN,
    ...namesOf(name),
    ...ref,
    row_key: null,
    status: "invalid",
    error_class: "InputError",
    error_message: words.join("; "),
    next_action: "fix the row and run the file again",
  });
  return ref;
}

/** Stages the outcome of a row that ends without being posted; `state` says how. */
export async function endUnposted(
  deps: OnboardingDependencies,
  { batchId, runId, sink }: Pick<BatchRunInput, "batchId" | "runId" | "sink">,
  row: Omit<CustomerRef, keyof RowInRun | "startedAt">,
  state: CustomerState,
  facts: OutcomeFacts,
): Promise<{ readonly ended: EndedRow }> {
  const ref = { ...row, batchId, runId, sink, latch: runId, startedAt: new Date().toISOString() };
  const { outcome } = await stageOutcome(deps, { ...ref, recorded: UNPOSTED }, state, facts);
  return { ended: { status: rowStatus(state), requiresManualReview: false, record: outcome } };
}

/** Stages another batch's outcome as this row's; both rows are the same to the last value. */
export async function stageReused(
  sealed: SealedStore,
  batchId: string,
  frozen: RightRow,
  attempt: number,
  other: OutcomeRow,
): Promise<OutcomeRef> {
  const { row, line } = frozen;
  const ref = { row, line, attempt, version: 1 };
  const events = [adoptedEvent(other, other.status)];
  await putOutcome(sealed, batchId, { ...asOutcomeOf(sealed, frozen, other), ...ref, events });
  return ref;
}

/** Stages the row's own open outcome again where its staging is gone: the next version is made from it. */
export async function restageOpen(
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
