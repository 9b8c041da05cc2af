import type { RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { isStep, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { recordClosedRows } from "../../lake/sync/quarantine-resolutions.js";
import type { Dependencies } from "../dependencies.js";
import { recordFailures } from "../run-failures.js";
import { writeRunRow } from "../run-row.js";

interface FinishRunInput extends SyncRun {
  readonly status: RunStatus;
  readonly totals: SyncTotals;
  readonly pausedMs?: number;
}

/** Counts the open bad rows, writes the run's row once, and then deletes what the run staged. */
export async function finishRun(
  deps: Dependencies,
  { totals, roster, pausedMs = 0, ...run }: FinishRunInput,
): Promise<{ readonly duration_ms: number; readonly open: number | null }> {
  const open = await openRows(deps, run.runId);
  const { users, links, rows, pages, restarts, calls } = totals;
  const all = Object.values(links).reduce((sum, count) => sum + count, 0);
  const sums = { users: users.total, links: all, pages, restarts, calls, paused_ms: pausedMs };
  const counts = { ...links, ...rows, ...sums, ...(open !== null && { quarantine_open: open }) };
  const steps = totals.failures.filter(({ owner }) => isStep(owner));
  for (const { owner, reason } of steps) {
    deps.log.error({ run_id: run.runId, part: owner, reason }, "a part of the run failed");
  }
  await recordFailures(deps.lake, { runId: run.runId, part: "steps" }, steps);
  const ended = await writeRunRow(deps, { ...run, kind: "sync", rosterSha256: roster.sha256, counts });
  await deps.lake.staging.dropRun(run.runId);
  return { ...ended, open };
}

/** Open bad rows of any run. Never fails the end of a run, whose row and exit code are about what the run did. */
async function openRows({ lake, log }: Dependencies, runId: string): Promise<number | null> {
  try {
    return await recordClosedRows(lake, runId);
  } catch (error) {
    log.warn({ runId, err: error }, "could not count the open rows in quarantine");
    return null;
  }
}
