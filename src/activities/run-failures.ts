import type { Lake } from "../lake/lake.js";
import { appendOnce } from "../lake/tables/append.js";
import { writeRows } from "../lake/tables/parquet-file.js";
import { runFailures } from "../lake/tables/runs.js";

interface RunFailure {
  /** Given for a sync. */
  readonly stream?: string;
  /** Given for a bulk job: line of its file. */
  readonly line?: number;
  readonly owner: string;
  readonly reason: string;
  /** The service's words, masked. */
  readonly message?: string;
}

/** Writes what failed in one part of a run, once. */
export async function recordFailures(
  lake: Lake,
  { runId, part }: { readonly runId: string; readonly part: string },
  failures: readonly RunFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const failed_at = new Date().toISOString();
  await appendOnce(lake, runFailures, `${runId}/${part}`, () =>
    writeRows(
      lake,
      runFailures,
      runId,
      failures.map((failure) => ({ run_id: runId, ...failure, failed_at })),
    ),
  );
}
