import type { Phases } from "../../domain/phases.js";
import { type EndReason, isCutShort, leftOf, type RunStatus } from "../../domain/run.js";
import type { SyncRun } from "../../domain/sync/job.js";
import type { ListedRows } from "../../domain/sync/sync-summary.js";
import { isStep, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { isHistory } from "../../lake/history/history-spec.js";
import { rowsOfRun } from "../../lake/history/rows-of-run.js";
import { keepRoster } from "../../lake/sync/frozen-roster.js";
import { openQuarantine } from "../../lake/sync/quarantine.js";
import type { Dependencies } from "../dependencies.js";
import { dropStaged, type EndedRow, recordFailures, writeRunRow } from "../run-row.js";
import type { SyncDependencies } from "./dependencies.js";
import { findPendingRule, NOTHING_FOUND } from "./find-pending-rule.js";

interface FinishRunInput extends SyncRun {
  readonly status: RunStatus;
  readonly why: EndReason;
  readonly totals: SyncTotals;
  readonly pausedMs: number;
  readonly phases: Phases;
}

interface FinishedRun extends EndedRow {
  readonly open: number | null;
  readonly lists: readonly ListedRows[];
  readonly pending_undecided: number;
  /** Also those made at the end. */
  readonly calls: number;
}

/** Finds out what becomes of pending rows, counts, writes the run's row once, and then deletes what the run staged. */
export async function finishRun(
  deps: SyncDependencies,
  { totals, roster, pausedMs, ...run }: FinishRunInput,
): Promise<FinishedRun> {
  const { undecided, calls: more } = await pendingRule(deps, run);
  const open = await openRows(deps, run.runId);
  const lists = await listedRows(deps, run);
  const { users, links, rows, pages, restarts, answer_bytes } = totals;
  const calls = totals.calls + more;
  const all = Object.values(links).reduce((sum, count) => sum + count, 0);
  const sums = { users: users.total, links: all, pages, restarts, calls, answer_bytes, paused_ms: pausedMs };
  const counts = { ...links, ...rows, ...sums, ...(open !== null && { quarantine_open: open }) };
  const steps = totals.failures.filter(({ owner }) => isStep(owner));
  for (const { owner, reason } of steps) {
    deps.log.error({ run_id: run.runId, part: owner, reason }, "a part of the run failed");
  }
  await recordFailures(deps.lake, { runId: run.runId, part: "steps" }, steps);
  const row = { ...run, kind: "sync", rosterSha256: roster.sha256, counts };
  const ended = await writeRunRow(deps, row);
  const { store, staging } = deps.lake;
  if (isCutShort(run.why)) await keepRoster(store, run.runId);
  const { retryOf } = run.options;
  await dropStaged(deps.log, run.runId, async () => {
    await staging.dropRun(run.runId);
    if (retryOf !== undefined) await staging.dropRun(leftOf(retryOf));
  });
  return { ...ended, open, lists, pending_undecided: undecided, calls };
}

/** Never fails the end of a run, as {@link openRows}. */
async function pendingRule(
  deps: SyncDependencies,
  { runId, status }: Pick<FinishRunInput, "runId" | "status">,
) {
  if (status !== "completed" && status !== "completed_with_failures") return NOTHING_FOUND;
  try {
    return await findPendingRule(deps, runId);
  } catch (error) {
    deps.log.warn({ run_id: runId, err: error }, "could not find out what becomes of pending rows");
    return NOTHING_FOUND;
  }
}

/** Never fails the end of a run, as {@link openRows}. */
async function listedRows(
  { streams, lake, log }: SyncDependencies,
  { runId, options }: Pick<FinishRunInput, "runId" | "options">,
): Promise<ListedRows[]> {
  const found: ListedRows[] = [];
  for (const { name, table } of streams) {
    if (!isHistory(table) || !options.streams.includes(name)) continue;
    try {
      const rows = await rowsOfRun(lake, table, runId);
      if (rows !== undefined) found.push({ stream: name, ...rows });
    } catch (error) {
      log.warn({ runId, stream: name, err: error }, "could not count the rows of the run");
    }
  }
  return found;
}

/** Never fails the end of a run, whose row and exit code are about what it did. */
async function openRows({ lake, log }: Dependencies, runId: string): Promise<number | null> {
  try {
    return (await openQuarantine(lake)).rows;
  } catch (error) {
    log.warn({ run_id: runId, err: error }, "could not count the open rows in quarantine");
    return null;
  }
}
