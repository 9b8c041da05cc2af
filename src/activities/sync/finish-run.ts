import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { isStep, type SyncTotals } from "../../domain/sync/sync-totals.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";
import { recordFailures } from "../run-failures.js";
import { writeRunRow } from "../run-row.js";

interface FinishRunInput extends SyncRun {
  readonly status: RunStatus;
  readonly totals: SyncTotals;
}

/** Writes the run's row, once, and then deletes what it staged. */
export async function finishRun(
  deps: Dependencies,
  { totals, roster, ...run }: FinishRunInput,
): Promise<{ readonly duration_ms: number }> {
  return withHeartbeat(async () => {
    const { users, links, rows, pages, restarts, calls } = totals;
    const all = Object.values(links).reduce((sum, count) => sum + count, 0);
    const counts = { users: users.total, links: all, ...links, ...rows, pages, restarts, calls };
    const steps = totals.failures.filter(({ owner }) => isStep(owner));
    await recordFailures(deps.lake, { runId: run.runId, part: "steps" }, steps);
    const ended = await writeRunRow(deps, { ...run, kind: "sync", rosterSha256: roster.sha256, counts });
    await deps.lake.staging.dropRun(run.runId);
    return ended;
  });
}
