import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { isStep, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { recordClosedRows } from "../../lake/sync/quarantine-resolutions.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";
import { recordFailures } from "../run-failures.js";
import { writeRunRow } from "../run-row.js";

interface FinishRunInput extends SyncRun {
  readonly status: RunStatus;
  readonly totals: SyncTotals;
  /** Milliseconds for which the service wanted no calls. */
  readonly pausedMs?: number;
}

interface FinishRunResult {
  readonly duration_ms: number;
  /** Open bad rows of any run; null where they could not be counted. */
  readonly open: number | null;
}

/** Counts the open bad rows, writes the run's row once, and then deletes what the run staged. */
export async function finishRun(
  deps: Dependencies,
  { totals, roster, pausedMs = 0, ...run }: FinishRunInput,
): Promise<FinishRunResult> {
  return withHeartbeat(async () => {
    const open = await openRows(deps, run.runId);
    const { users, links, rows, pages, restarts, calls } = totals;
    const all = Object.values(links).reduce((sum, count) => sum + count, 0);
    const sums = { users: users.total, links: all, pages, restarts, calls, paused_ms: pausedMs };
    const counts = { ...links, ...rows, ...sums };
    const steps = totals.failures.filter(({ owner }) => isStep(owner));
    for (const { owner, reason } of steps) {
      deps.log.error({ run_id: run.runId, part: owner, reason }, "a part of the run failed");
    }
    await recordFailures(deps.lake, { runId: run.runId, part: "steps" }, steps);
    const columns = open === null ? counts : { ...counts, quarantine_open: open };
    const ended = await writeRunRow(deps, {
      ...run,
      kind: "sync",
      rosterSha256: roster.sha256,
      counts: columns,
    });
    await deps.lake.staging.dropRun(run.runId);
    return { ...ended, open };
  });
}

/** Counts the open rows; null where that fails, because it must not fail the end of a run. */
async function openRows({ lake, log }: Dependencies, runId: string): Promise<number | null> {
  try {
    return await recordClosedRows(lake, runId);
  } catch (error) {
    log.warn({ runId, err: error }, "could not count the open rows in quarantine");
    return null;
  }
}
