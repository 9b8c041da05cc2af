import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import { csvLine } from "../../lake/csv-text.js";
import type { SqlRow } from "../../lake/duckdb-session.js";
import { readTables } from "../../lake/table-views.js";
import { LATEST_OF_A_LINE, onboardings } from "../../lake/tables/onboardings.js";
import type { Dependencies } from "../dependencies.js";
import { beating } from "../slice.js";

const COLUMNS = [
  ...["line", "kind", "fp_id", "fp_bid", "external_id", "onboarding_id", "playbook_key", "playbook_version"],
  ...["status", "requires_manual_review", "attempt", "version", "started_at", "settled_at", "settled_by"],
  ...["error_class", "error_message", "next_action"],
] as const;

const ROWS_AT_ONCE = 500;

export interface WriteOutcomesCsvInput {
  readonly batchId: string;
  /** Rows of the file from its beginning: all, or as many as `--limit` let run. */
  readonly rows: number;
}

/** `_batches/<batch id>/outcomes.csv` in the lake. */
export function outcomesCsvKey(batchId: string): string {
  return `_batches/${batchId}/outcomes.csv`;
}

/**
 * Writes a batch's outcomes in the order of the file, one row a line: the latest version of the latest attempt,
 * or the ids alone where there is no outcome yet. Replaces what was there as a whole.
 */
export async function writeOutcomesCsv(
  deps: Dependencies,
  input: WriteOutcomesCsvInput,
): Promise<{ key: string }> {
  const { batchId, rows } = input;
  return beating(async () => {
    const outcomes = await latestOutcomes(deps, batchId);
    const lines = [csvLine(COLUMNS)];
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const frozen = await deps.batches.rows(batchId, from, Math.min(rows, from + ROWS_AT_ONCE));
      for (const row of frozen) lines.push(outcomes.get(row.line) ?? csvLine(idsOf(row)));
    }
    const key = outcomesCsvKey(batchId);
    await deps.lake.store.put(key, lines.join(""), { durable: true });
    return { key };
  });
}

async function latestOutcomes(deps: Dependencies, batchId: string): Promise<Map<number, string>> {
  return readTables(deps.lake, [onboardings], async (sql) => {
    const found = new Map<number, string>();
    const batches = sql.stream(
      `select ${COLUMNS.join(", ")} from onboardings where batch_id = $1
       ${LATEST_OF_A_LINE}`,
      [batchId],
    );
    for await (const batch of batches) {
      for (const row of batch) found.set(Number(row.line), csvLine(COLUMNS.map((name) => cell(row[name]))));
    }
    return found;
  });
}

function cell(value: SqlRow[string] | undefined): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === "boolean" || typeof value === "number" ? value : String(value);
}

function idsOf(row: FrozenRow): (string | number | null)[] {
  const { kind, fpId, externalId } = isRight(row) ? row.customer : row.name;
  const ids: Readonly<Record<string, string | number | null>> = {
    line: row.line,
    kind,
    fp_id: kind === "business" ? null : fpId,
    fp_bid: kind === "business" ? fpId : null,
    external_id: externalId,
  };
  return COLUMNS.map((name) => ids[name] ?? null);
}
