import type { RunStatus } from "../../domain/run.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { runs } from "../../lake/tables/runs.js";
import { VERSION } from "../../version.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";

interface FinishRunInput {
  readonly runId: string;
  readonly jobId: string;
  readonly kind: string;
  readonly status: RunStatus;
  readonly options: SyncOptions;
  readonly rosterSha256: string;
  readonly totals: SyncTotals;
  /** ISO instant at which the run was asked for. */
  readonly startedAt: string;
}

interface FinishRunResult {
  readonly duration_ms: number;
}

/** Writes the run's row, once, and then deletes what it staged. */
export async function finishRun(deps: Dependencies, input: FinishRunInput): Promise<FinishRunResult> {
  return withHeartbeat(async () => {
    const finishedAt = new Date();
    await appendOnce(deps.lake, runs, `${input.runId}/run`, () =>
      writeRows(deps.lake, runs, input.runId, [rowOf(input, finishedAt)]),
    );
    await deps.lake.staging.dropRun(input.runId);
    return { duration_ms: finishedAt.getTime() - Date.parse(input.startedAt) };
  });
}

function rowOf(input: FinishRunInput, finishedAt: Date): Record<string, unknown> {
  const { users, links, rows, pages, restarts, calls } = input.totals;
  return {
    run_id: input.runId,
    job_id: input.jobId,
    kind: input.kind,
    status: input.status,
    options: JSON.stringify(input.options),
    roster_sha256: input.rosterSha256,
    users: users.total,
    links: Object.values(links).reduce((sum, count) => sum + count, 0),
    ...links,
    ...rows,
    pages,
    restarts,
    calls,
    started_at: input.startedAt,
    finished_at: finishedAt.toISOString(),
    version: VERSION,
  };
}
