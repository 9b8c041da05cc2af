import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import { namesOf, type OutcomeRow } from "../../domain/onboarding/outcome.js";
import { OUTCOMES_CSV_COLUMNS } from "../../domain/tables/onboardings.js";
import { csvLine } from "../csv-line.js";
import type { ObjectStore } from "../store/object-store.js";
import { LATEST_OF_A_LINE } from "../tables/onboardings.js";
import type { FrozenBatches } from "./frozen-batch.js";

const ROWS_AT_ONCE = 500;

/** Which rows of a batch its CSV has. */
export interface OutcomesCsvRange {
  readonly batchId: string;
  /** Rows of the file from its beginning: all, or as many as `--limit` let run. */
  readonly rows: number;
}

/** `_batches/<batch id>/outcomes.csv` in the lake. */
function outcomesCsvKey(batchId: string): string {
  return `_batches/${batchId}/outcomes.csv`;
}

/** The query of {@link outcomeLines}. */
export function latestOutcomesSql(batchId: string): string {
  return `select ${OUTCOMES_CSV_COLUMNS.join(", ")} from onboardings where batch_id = '${batchId}' ${LATEST_OF_A_LINE}`;
}

/** The lines of outcomes, by line of the file, from the batches of rows that the query gives. */
export async function outcomeLines(
  latest: AsyncIterable<readonly Readonly<Record<string, unknown>>[]>,
): Promise<ReadonlyMap<number, string>> {
  const outcomes = new Map<number, string>();
  for await (const rows of latest) {
    for (const row of rows)
      outcomes.set(Number(row.line), csvLine(OUTCOMES_CSV_COLUMNS.map((name) => cell(row[name]))));
  }
  return outcomes;
}

/**
 * Writes a batch's outcomes in the order of the file, one row a line: the latest version of the latest attempt,
 * or the ids alone where there is no outcome yet. Replaces what was there as a whole.
 */
export async function putOutcomesCsv(
  store: ObjectStore,
  batches: FrozenBatches,
  { batchId, rows }: OutcomesCsvRange,
  outcomes: ReadonlyMap<number, string>,
): Promise<{ key: string }> {
  const lines = [csvLine(OUTCOMES_CSV_COLUMNS)];
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const frozen = await batches.rows(batchId, from, Math.min(rows, from + ROWS_AT_ONCE));
    for (const row of frozen) lines.push(outcomes.get(row.line) ?? csvLine(idsOf(row)));
  }
  const key = outcomesCsvKey(batchId);
  await store.put(key, lines.join(""), { durable: true });
  return { key };
}

function cell(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === "boolean" || typeof value === "number" ? value : String(value);
}

function idsOf(row: FrozenRow): (string | number | boolean | null)[] {
  const names = namesOf(isRight(row) ? row.customer : row.name);
  const ids: Partial<OutcomeRow> = { line: row.line, ...names };
  return OUTCOMES_CSV_COLUMNS.map((name) => ids[name] ?? null);
}
