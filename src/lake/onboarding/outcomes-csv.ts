import { FORGOTTEN, type FrozenRow, isRight } from "../../domain/onboarding/customer.js";
import { namesOf, type OutcomeRow } from "../../domain/onboarding/outcome.js";
import { OUTCOMES_CSV_COLUMNS } from "../../domain/tables/onboardings.js";
import { csvLine } from "../csv-line.js";
import type { ObjectStore } from "../store/object-store.js";
import { LATEST_OF_A_LINE } from "../tables/onboardings.js";
import type { FrozenBatches } from "./frozen-batch.js";

const ROWS_AT_ONCE = 500;

type OutcomesQuery = (sql: string) => AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;

/**
 * Writes a batch's outcomes as CSV, as the table has them now, in the order of the file: one row a line, the latest version
 * of the latest attempt, or the ids alone where there is no outcome yet. Replaces the file as a whole.
 *
 * @param rows of the file from its beginning: all, or as many as `--limit` let run
 */
export async function writeOutcomesCsv(
  store: ObjectStore,
  batches: FrozenBatches,
  { batchId, rows }: { readonly batchId: string; readonly rows: number },
  query: OutcomesQuery,
): Promise<{ key: string }> {
  const outcomes = new Map<number, string>();
  const latest = `select ${OUTCOMES_CSV_COLUMNS.join(", ")} from onboardings where batch_id = '${batchId}' ${LATEST_OF_A_LINE}`;
  for await (const some of query(latest)) for (const row of some) outcomes.set(Number(row.line), lineOf(row));
  const lines = [csvLine(OUTCOMES_CSV_COLUMNS)];
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    for (const row of await batches.rows(batchId, from, Math.min(rows, from + ROWS_AT_ONCE))) {
      lines.push(outcomes.get(row.line) ?? lineOf({ line: row.line, ...withoutOutcome(row) }));
    }
  }
  const key = `_batches/${batchId}/outcomes.csv`;
  await store.put(key, lines.join(""), { durable: true });
  return { key };
}

/** What is known of a row without an outcome; that of a forgotten customer has none any more. */
function withoutOutcome(row: FrozenRow): Partial<OutcomeRow> {
  if (isRight(row)) return namesOf(row.customer);
  const forgotten = row.problems.find(({ code }) => code === FORGOTTEN);
  return { ...namesOf(row.name), ...(forgotten && { status: "invalid", error_message: forgotten.rule }) };
}

function lineOf(row: Readonly<Record<string, unknown>>): string {
  const cells = OUTCOMES_CSV_COLUMNS.map((name) => {
    const value = row[name] ?? null;
    return value === null || typeof value === "boolean" || typeof value === "number" ? value : String(value);
  });
  return csvLine(cells);
}
