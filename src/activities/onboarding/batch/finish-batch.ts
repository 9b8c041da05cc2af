import type { OnboardSummary } from "../../../domain/onboarding/batch/batch-totals.js";
import {
  latestOutcomesSql,
  type OutcomesCsvRange,
  outcomeLines,
  putOutcomesCsv,
} from "../../../lake/onboarding/outcomes-csv.js";
import { readTables } from "../../../lake/query/query-views.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { onboardings } from "../../../lake/tables/onboardings.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { runs } from "../../../lake/tables/runs.js";
import { VERSION } from "../../../version.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";

interface FinishBatchInput {
  readonly summary: Omit<OnboardSummary, "duration_ms">;
  /** Rows of the file that the run was for. */
  readonly rows: number;
  /** What was asked for; nothing personal. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
  /** ISO instant at which the run was asked for. */
  readonly startedAt: string;
}

/** Writes the run's row, once, and the batch's outcomes as CSV. */
export async function finishBatch(
  deps: OnboardingDependencies,
  { summary, rows, options, startedAt }: FinishBatchInput,
): Promise<{ duration_ms: number }> {
  const { run_id, batch_id, status, customers, calls } = summary;
  const { sha256 } = await deps.batches.require(batch_id);
  await writeOutcomesCsv(deps, { batchId: batch_id, rows });
  return withHeartbeat(async () => {
    const finishedAt = new Date();
    const row = {
      run_id,
      job_id: batch_id,
      kind: "onboard",
      status,
      options: JSON.stringify(options),
      roster_sha256: sha256,
      users: customers.total,
      failed: customers.failed,
      calls,
      started_at: startedAt,
      finished_at: finishedAt.toISOString(),
      version: VERSION,
    };
    await appendOnce(deps.lake, runs, `${run_id}/run`, () => writeRows(deps.lake, runs, run_id, [row]));
    return { duration_ms: finishedAt.getTime() - Date.parse(startedAt) };
  });
}

/** Writes a batch's outcomes as CSV, by what the tables say now. */
export async function writeOutcomesCsv(
  { lake, batches }: OnboardingDependencies,
  range: OutcomesCsvRange,
): Promise<{ key: string }> {
  return withHeartbeat(async () => {
    const sql = latestOutcomesSql(range.batchId);
    const outcomes = await readTables(lake, [onboardings], (tables) => outcomeLines(tables.stream(sql)));
    return putOutcomesCsv(lake.store, batches, range, outcomes);
  });
}
