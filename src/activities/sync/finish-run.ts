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
  const isWhole = run.status === "completed" || run.status === "completed_with_failures";
  const findRule = () => (isWhole ? findPendingRule(deps, run.runId) : Promise.resolve(NOTHING_FOUND));
  const rule = await orElse(
    deps,
    run.runId,
    NOTHING_FOUND,
    "find out what becomes of pending rows",
    findRule,
  );
  const open = await orElse(deps, run.runId, null, "count the open rows in quarantine", async () => {
    return (await openQuarantine(deps.lake)).rows;
  });
  const lists = await listedRows(deps, run);
  const { users, links, rows, pages, restarts, answer_bytes } = totals;
  const calls = totals.calls + rule.calls;
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
  return { ...ended, open, lists, pending_undecided: rule.undecided, calls };
}

/** Finds out what only informs: it never fails the end of a run, whose row and exit code are about what the run did. */
async function orElse<T>(
  { log }: Dependencies,
  run_id: string,
  none: T,
  what: string,
  work: () => Promise<T>,
) {
  try {
    return await work();
  } catch (error) {
    log.warn({ run_id, err: error }, `could not ${what}`);
    return none;
  }
}

async function listedRows(
  deps: SyncDependencies,
  { runId, options }: Pick<FinishRunInput, "runId" | "options">,
): Promise<ListedRows[]> {
  const lists: ListedRows[] = [];
  for (const { name, table } of deps.streams) {
    if (!isHistory(table) || !options.streams.includes(name)) continue;
    const rows = await orElse(deps, runId, undefined, `count the rows of the run in ${name}`, () =>
      rowsOfRun(deps.lake, table, runId),
    );
    if (rows !== undefined) lists.push({ stream: name, ...rows });
  }
  return lists;
}
