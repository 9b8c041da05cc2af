import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { isOpenOutcome } from "../../../domain/onboarding/customer/customer-state.js";
import {
  type FrozenRow,
  isRight,
  type PlannedRow,
  planRow,
  type RightRow,
  type RowState,
  type WrongRow,
} from "../../../domain/onboarding/frozen-row.js";
import { NOTHING_KNOWN, namesOf, type Outcome, type OutcomeRow } from "../../../domain/onboarding/outcome.js";
import { earlierOutcomes } from "../../../lake/onboarding/earlier-outcomes.js";
import { findOutcome, putOutcome } from "../../../lake/onboarding/staged-outcomes.js";
import { openColumn } from "../../../lake/tables/encrypted-column.js";
import type { OnboardingDependencies } from "../dependencies.js";

const WRITTEN_AT_ONCE = 8;

interface FindEarlierInput {
  readonly batchId: string;
  /** Rows `[from, to)` of the batch, counted from 0. */
  readonly from: number;
  readonly to: number;
}

/** What is to be done with one row, in words that may stand in a history. */
export interface FoundRow {
  readonly row: number;
  readonly line: number;
  readonly state: RowState;
  /** Of the outcome that is there or staged, or the one that a run of the row will have. */
  readonly attempt: number;
  readonly version: number;
  /** The customer's part of its workflow's id; null for a wrong row. */
  readonly identityHash: string | null;
  /** Known by its external id alone: once that has given an onboarding, it can't be posted a second time. */
  readonly byExternalId: boolean;
  /** Null for a row that runs. */
  readonly status: string | null;
  readonly onboardingId: string | null;
  readonly requiresManualReview: boolean | null;
}

/**
 * Decides what is done with a range of rows, from what the tables know of them, before anything is posted.
 * Outcomes of wrong and of adopted rows are staged under the attempt given, version 1, and wait for
 * `recordOutcomes`; kept ones stand in the table, and of those that may change the last version is staged too.
 */
export async function findEarlier(
  deps: OnboardingDependencies,
  input: FindEarlierInput,
): Promise<{ rows: FoundRow[] }> {
  const { batchId, from, to } = input;
  const rows = await deps.batches.rows(batchId, from, to);
  const lines = { from: rows[0]?.line ?? 0, to: rows.at(-1)?.line ?? -1 };
  const keys = rows.filter(isRight).map(({ rowKey }) => rowKey);
  const { own, others } = await earlierOutcomes(deps.lake, batchId, lines, keys);
  const found = await mapConcurrent(WRITTEN_AT_ONCE, rows, async (row) => {
    const known = own.get(row.line);
    const other = isRight(row) ? others.get(row.rowKey) : undefined;
    const planned = planRow(row, known, other);
    if (!isRight(row)) {
      if (planned.state === "invalid") {
        await putOutcome(deps.sealed, batchId, invalidOutcome(row, planned.attempt));
      }
    } else if (planned.state === "adopted" && other !== undefined) {
      const outcome = reusedOutcome(deps, row, planned.attempt, other);
      await putOutcome(deps.sealed, batchId, outcome);
    } else if (planned.state === "kept" && known !== undefined) {
      await restageOpen(deps, batchId, row, known);
    }
    return foundRow(row, planned);
  });
  return { rows: found };
}

function foundRow(row: FrozenRow, { state, attempt, earlier }: PlannedRow): FoundRow {
  return {
    row: row.row,
    line: row.line,
    state,
    attempt,
    version: state === "kept" ? (earlier?.version ?? 1) : 1,
    identityHash: isRight(row) ? row.identityHash : null,
    byExternalId: isRight(row) && row.customer.externalId !== null,
    status: state === "invalid" ? "invalid" : (earlier?.status ?? null),
    onboardingId: earlier?.onboarding_id ?? null,
    requiresManualReview: earlier?.requires_manual_review ?? null,
  };
}

/** The outcome of a row that breaks rules; nothing of it was sent. */
function invalidOutcome({ row, line, name, problems }: WrongRow, attempt: number): Outcome {
  const words = problems.map(({ column, rule }) => (column === null ? rule : `${column}: ${rule}`));
  return {
    ...NOTHING_KNOWN,
    ...namesOf(name),
    row,
    line,
    attempt,
    version: 1,
    row_key: null,
    status: "invalid",
    error_class: "InputError",
    error_message: words.join("; "),
    next_action: "mend the row and run the file again",
  };
}

/** Stages an outcome of the row itself that may change, where it is gone: its next version is made from it. */
async function restageOpen(
  deps: OnboardingDependencies,
  batchId: string,
  row: RightRow,
  known: OutcomeRow,
): Promise<void> {
  if (!isOpenOutcome(known.status, known.requires_manual_review ?? false)) return;
  if ((await findOutcome(deps.sealed, batchId, known)) !== undefined) return;
  await putOutcome(deps.sealed, batchId, outcomeOf(deps, row, known));
}

/** Another batch's outcome as this row's; what it was posted with is the same to the last value. */
function reusedOutcome(
  deps: OnboardingDependencies,
  row: RightRow,
  attempt: number,
  other: OutcomeRow,
): Outcome {
  const { batch_id, line: theirs, attempt: attempted } = other;
  return {
    ...outcomeOf(deps, row, other),
    attempt,
    version: 1,
    events: [
      {
        event: "adopted",
        status: other.status,
        message_id: null,
        at: new Date().toISOString(),
        detail: `from ${batch_id}, line ${theirs}, attempt ${attempted}`,
      },
    ],
  };
}

/** What a row of the table says, as an outcome of this row. */
function outcomeOf(
  deps: OnboardingDependencies,
  { row, line, rowKey, customer }: RightRow,
  known: OutcomeRow,
): Outcome {
  const { batch_id: _, run_id: _run, playbook_key: _key, ...outcome } = known;
  const output = known.output && openColumn(deps.sealed.sealer, "onboardings", "output", known.output);
  return { ...outcome, row, line, kind: customer.kind, row_key: rowKey, output };
}
