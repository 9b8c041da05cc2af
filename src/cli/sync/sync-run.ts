import { ServiceError } from "@temporalio/client";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { CommittedByRun } from "../../lake/sync/committed-by-run.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import { type JobRun, type LeftRun, statusWithoutResult } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { type KeptOfRun, keptSoFar, keptWords, totalsSoFar } from "./left-run.js";
import { SYNC_PROGRESS, summaryText } from "./text.js";

/** A sync as its command runs it; `start` starts or joins its run. */
export function syncRun(
  terminal: Terminal,
  start: (session: JobSession) => Promise<StartedRun>,
): JobRun<SyncProgress, SyncResult> {
  let kept: KeptOfRun | undefined;
  return {
    start,
    afterStart: (session, started) => nameOtherRuns(terminal, session, started),
    progress: SYNC_PROGRESS,
    async lookBack({ store }, { started }) {
      // What can't be told harms none.
      kept = await keptSoFar(store, started.runId).catch(() => undefined);
    },
    outcome(left) {
      const { summary, unauthorized } = summaryOf(left, kept?.committed);
      const isKept = left.end === undefined || left.end.kind === "interrupted";
      const notes = isKept && kept !== undefined ? keptWords(kept, left.sofar) : [];
      return { summary, unauthorized, text: summaryText(summary), notes };
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
  const query = `ExecutionStatus = "Running" AND WorkflowType = "sync" AND TaskQueue = "${taskQueue}"`;
  try {
    for await (const { workflowId, memo } of client.workflow.list({ query })) {
      if (workflowId === handle.workflowId) continue;
      terminal.say(
        `run ${memo?.runId} of another job was left unfinished; it goes on while this command runs`,
      );
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** What is known of a sync as its command leaves it; `committed`: by the lake, where it has not ended. */
export function summaryOf(
  { started, end, sofar, watchedMs }: LeftRun<SyncProgress, SyncResult>,
  committed?: CommittedByRun,
): { summary: SyncSummary; unauthorized: boolean } {
  if (end?.kind === "completed") {
    const { unauthorized, ...summary } = end.result;
    return { summary, unauthorized };
  }
  const seen = sofar?.totals ?? noTotals();
  const totals = committed === undefined ? seen : totalsSoFar(seen, sofar?.usersTotal ?? 0, committed);
  const status = statusWithoutResult(end);
  return {
    summary: { run_id: started.runId, status, ...totals, duration_ms: watchedMs },
    unauthorized: false,
  };
}
