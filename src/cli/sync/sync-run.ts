import { ServiceError } from "@temporalio/client";
import type { BrokenRule } from "../../domain/sync/fail-rules.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { CommittedByRun } from "../../lake/sync/link-checkpoint.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import { endWithoutResult, type JobRun, type LeftRun, withWaits } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { ruleInWords } from "./fail-on.js";
import { type KeptOfRun, keptSoFar, keptWords, totalsSoFar } from "./left-run.js";
import { SYNC_PROGRESS, summaryText } from "./text.js";

/**
 * Makes a sync as its command runs it.
 *
 * @param start starts or joins the run
 * @param judge finds the rules that a completed run broke
 */
export function syncRun(
  terminal: Terminal,
  start: (session: JobSession) => Promise<StartedRun>,
  judge?: (summary: SyncSummary) => Promise<BrokenRule[]>,
): JobRun<SyncProgress, SyncResult> {
  return {
    start,
    afterStart: (session, started) => nameOtherRuns(terminal, session, started),
    progress: SYNC_PROGRESS,
    async outcome(left, { store }) {
      const kept = await keptOf(store, left);
      const { summary, unauthorized } = summaryOf(left, kept?.committed);
      const outcome = { ...withWaits(left, summary, summaryText(summary)), unauthorized };
      if (judge !== undefined && !unauthorized && left.end?.kind === "completed") {
        const fail_on = await judge(summary);
        const notes = fail_on.map(ruleInWords);
        return { ...outcome, summary: { ...summary, fail_on }, failed: fail_on.length > 0, notes };
      }
      const isKept = left.end === undefined || left.end.kind === "interrupted";
      return { ...outcome, notes: isKept && kept !== undefined ? keptWords(kept, left.sofar) : [] };
    },
  };
}

/** Reads what the lake holds of a watched run that has not completed. Best effort. */
async function keptOf(
  store: ObjectStore,
  { started, end, watchedMs }: LeftRun<SyncProgress, SyncResult>,
): Promise<KeptOfRun | undefined> {
  if (end?.kind === "completed" || watchedMs === 0) return undefined;
  return keptSoFar(store, started.runId).catch(() => undefined);
}

/** Names runs that an earlier command left in HOME: they continue while this one lives. Best effort. */
async function nameOtherRuns(
  terminal: Terminal,
  { temporal: { client, embedded }, preflight: { taskQueue } }: JobSession,
  { handle }: StartedRun,
): Promise<void> {
  if (!embedded) return;
  try {
    for (const { workflowId, runId } of await runningRuns(client, taskQueue)) {
      if (workflowId === handle.workflowId) continue;
      terminal.say(`run ${runId} of another job was left unfinished; it continues while this command runs`);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** What is known of a sync as its command leaves it. @param committed what the lake holds of a run that has not ended */
function summaryOf(
  { started, end, sofar, watchedMs }: LeftRun<SyncProgress, SyncResult>,
  committed?: CommittedByRun,
): { summary: SyncSummary; unauthorized: boolean } {
  if (end?.kind === "completed") {
    const { unauthorized, ...summary } = end.result;
    return { summary, unauthorized };
  }
  const seen = sofar?.totals ?? noTotals();
  const totals = committed === undefined ? seen : totalsSoFar(seen, sofar?.usersTotal ?? 0, committed);
  const quarantine = { new: totals.rows.quarantined, open: null };
  return {
    summary: {
      run_id: started.runId,
      ...endWithoutResult(end),
      ...totals,
      lists: [],
      quarantine,
      duration_ms: watchedMs,
      lake_root: null,
    },
    unauthorized: false,
  };
}
