import type { FrozenBulkRow } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { labelledLines } from "../../domain/words/texts.js";
import { judgeRows, refuseInvalid } from "../../intake/bulk/input-rows.js";
import { reconcileJob } from "../../jobs/reconcile.js";
import type { BulkResult } from "../../workflows/bulk/bulk-job.js";
import { followRun, type RunOutcome } from "../shell/run.js";
import type { NextRun } from "../shell/shell.js";
import { runSync, type SyncFlags } from "../sync/command.js";
import type { Terminal } from "../terminal/terminal.js";
import { newRun } from "./command.js";

/** Runs a sync and then, in the same command, a reconciliation of the same users. Returns the exit code. */
export async function runReconciledSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: SyncFlags,
): Promise<number> {
  if (flags.detach)
    throw new InputError(
      "--reconcile runs when the sync ends, and --detach leaves before that. Nothing was started. Leave out one of them, or schedule the sync.",
    );
  return runSync(terminal, rosterPath, options, flags, () =>
    reconciliationOf(terminal, rosterPath, options, flags.restart === true),
  );
}

/** Plans the reconciliation that follows a sync; the roster is read now. */
async function reconciliationOf(
  terminal: Terminal,
  rosterPath: string,
  { links }: SyncOptions,
  restart: boolean,
): Promise<NextRun> {
  const judged = refuseInvalid(reconcileJob, rosterPath, await judgeRows(reconcileJob, rosterPath), false);
  const kept: FrozenBulkRow[] = [];
  for await (const row of judged.rows()) kept.push(row);
  async function* rows() {
    yield* kept;
  }
  const run = newRun(reconcileJob, {
    judged: { ...judged, rows },
    options: { ...(links !== null && { links }) },
    restart,
  });
  return async (session) => {
    const left = await followRun(terminal, session, run);
    return { left, outcome: async (first, preflight) => together(first, await run.outcome(left, preflight)) };
  };
}

/** The outcome of a command whose sync has ended: the reconciliation decides where something differs. */
function together(sync: RunOutcome, reconciliation: RunOutcome): RunOutcome {
  const { run_id, status, counts } = reconciliation.summary as Partial<BulkResult>;
  const { equal = 0, differs = 0, unknown = 0 } = counts ?? {};
  const counted = `${equal} equal, ${differs} differing, ${unknown} unknown`;
  const told = { run_id, status, equal, differs, unknown };
  const isWhole = reconciliation.summary.status === "completed";
  return {
    ...sync,
    summary: {
      ...sync.summary,
      status: isWhole ? sync.summary.status : reconciliation.summary.status,
      ...{ reconciliation: told },
    },
    text: [sync.text, ...labelledLines([["accounts", [counted, `${status} as run ${run_id}`]]])].join("\n"),
    unauthorized: reconciliation.unauthorized,
    notes: [...sync.notes, ...reconciliation.notes],
  };
}
