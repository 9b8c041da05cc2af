import { mapConcurrent } from "../../../domain/map-concurrent.js";
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
import { putOutcome } from "../../../lake/onboarding/staged-outcomes.js";
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
 * `recordOutcomes`; kept ones stand in the table.
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
    const other = isRight(row) ? others.get(row.rowKey) : undefined;
    const planned = planRow(row, own.get(row.line), other);
    if (!isRight(row)) {
      if (planned.state === "invalid") {
        await putOutcome(deps.sealed, batchId, invalidOutcome(row, planned.attempt));
      }
    } else if (planned.state === "adopted" && other !== undefined) {
      const outcome = reusedOutcome(deps, row, planned.attempt, other);
      await putOutcome(deps.sealed, batchId, outcome);
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

/** Another batch's outcome as this row's; what it was posted with is the same to the last value. */
function reusedOutcome(
  deps: OnboardingDependencies,
  { row, line, rowKey, customer }: RightRow,
  attempt: number,
  other: OutcomeRow,
): Outcome {
  const { batch_id, run_id: _, playbook_key: _key, line: theirs, attempt: attempted, ...outcome } = other;
  const { output } = other;
  return {
    ...outcome,
    row,
    line,
    attempt,
    version: 1,
    kind: customer.kind,
    row_key: rowKey,
    output: output && openColumn(deps.sealed.sealer, "onboardings", "output", output),
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
