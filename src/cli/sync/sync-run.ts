import { ServiceError } from "@temporalio/client";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import { type JobRun, type LeftRun, statusWithoutResult } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { SYNC_PROGRESS, summaryText } from "./text.js";

/** A sync as its command runs it; `start` starts or joins its run. */
export function syncRun(
  terminal: Terminal,
  start: (session: JobSession) => Promise<StartedRun>,
): JobRun<SyncProgress, SyncResult> {
  return {
    start,
    afterStart: (session, started) => nameOtherRuns(terminal, session, started),
    progress: SYNC_PROGRESS,
    outcome(left) {
      const { summary, unauthorized } = summaryOf(left);
      const refused = "the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY";
      return { summary, unauthorized, text: summaryText(summary), notes: unauthorized ? [refused] : [] };
    },
  };
}

/** Runs that an earlier command left in HOME go on while this one lives; not being able to tell harms none. */
async function nameOtherRuns(
  terminal: Terminal,
  { temporal: { client, embedded }, preflight: { taskQueue } }: JobSession,
  { handle }: StartedRun,
): Promise<void> {
  if (!embedded) return;
  try {
    for (const { workflowId, runId } of await runningRuns(client, taskQueue)) {
      if (workflowId === handle.workflowId) continue;
      terminal.say(`run ${runId} of another job was left unfinished; it goes on while this command runs`);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** What is known of a sync as its command leaves it. */
export function summaryOf({ started, end, sofar, watchedMs }: LeftRun<SyncProgress, SyncResult>): {
  summary: SyncSummary;
  unauthorized: boolean;
} {
  if (end?.kind === "completed") {
    const { unauthorized, ...summary } = end.result;
    return { summary, unauthorized };
  }
  const totals = sofar?.totals ?? noTotals();
  const status = statusWithoutResult(end);
  return {
    summary: { run_id: started.runId, status, ...totals, duration_ms: watchedMs },
    unauthorized: false,
  };
}
