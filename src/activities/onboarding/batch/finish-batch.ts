import { StagingLostError } from "../../../domain/failures.js";
import type { BatchRunInput } from "../../../domain/onboarding/batch/batch-state.js";
import type { OnboardSummary } from "../../../domain/onboarding/batch/batch-totals.js";
import type { Phases } from "../../../domain/phases.js";
import type { NewRun } from "../../../domain/run.js";
import { writeOutcomesCsv } from "../../../lake/onboarding/outcomes-csv.js";
import { readTables } from "../../../lake/query/query-views.js";
import { onboardings } from "../../../lake/tables/onboardings.js";
import { type EndedRow, writeRunRow } from "../../run-row.js";
import type { OnboardingDependencies } from "../dependencies.js";

interface FinishBatchInput extends Omit<NewRun, "runId">, Pick<BatchRunInput, "options"> {
  readonly summary: Omit<OnboardSummary, "duration_ms" | "lake_root">;
  readonly rows: number;
  readonly phases: Phases;
}

/** Writes the run's row, once, and the batch's outcomes as CSV. */
export async function finishBatch(
  deps: OnboardingDependencies,
  { summary, rows, ...run }: FinishBatchInput,
): Promise<EndedRow> {
  const { run_id: runId, batch_id: jobId, status, customers, calls, answer_bytes } = summary;
  const { lake, batches } = deps;
  const rosterSha256 = (await batches.manifest(jobId))?.sha256;
  await readTables(lake, [onboardings], (tables) =>
    writeOutcomesCsv(lake.store, batches, { batchId: jobId, rows }, (sql) => tables.stream(sql)),
  ).catch((error: unknown) => {
    // Why such a run fails; the tables have what was recorded.
    if (status !== "failed" || !(error instanceof StagingLostError)) throw error;
  });
  const why = { reason: summary.reason, message: summary.message };
  const counts = { users: customers.total, failed: customers.failed, calls, answer_bytes };
  return writeRunRow(deps, { ...run, runId, jobId, kind: "onboard", status, why, rosterSha256, counts });
}
