import { ServiceError } from "@temporalio/client";
import type { BrokenRule } from "../../domain/sync/fail-rules.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { CommittedByRun } from "../../lake/sync/committed-by-run.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import { type JobRun, type LeftRun, statusWithoutResult, waitsOf } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { ruleInWords } from "./fail-on.js";
import { type KeptOfRun, keptSoFar, keptWords, totalsSoFar } from "./left-run.js";
import { SYNC_PROGRESS, summaryText } from "./text.js";

/**
 * A sync as its command runs it.
 *
 * @param start starts or joins its run
 * @param judge says which rules the run broke that has ended; without it there are none
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
      const { waits, lines } = waitsOf(left);
      const seen = { ...summary, ...waits };
      const text = [summaryText(summary), ...lines].join("\n");
      const isKept = left.end === undefined || left.end.kind === "interrupted";
      const notes = isKept && kept !== undefined ? keptWords(kept, left.sofar) : [];
      if (judge === undefined || unauthorized || left.end?.kind !== "completed")
        return { summary: seen, unauthorized, text, notes };
      const broken = await judge(summary);
      const judged = { ...summary, fail_on: broken };
      const rules = broken.map(ruleInWords);
      return { summary: judged, unauthorized, text, failed: broken.length > 0, notes: rules };
    },
  };
}

/** What the lake holds of a run that was watched and has not come to its end; what can't be told harms none. */
async function keptOf(
  store: ObjectStore,
  { started, end, watchedMs }: LeftRun<SyncProgress, SyncResult>,
): Promise<KeptOfRun | undefined> {
  if (end?.kind === "completed" || watchedMs === 0) return undefined;
  return keptSoFar(store, started.runId).catch(() => undefined);
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
  const quarantine = { new: totals.rows.quarantined, open: null };
  return {
    summary: { run_id: started.runId, status, ...totals, quarantine, duration_ms: watchedMs },
    unauthorized: false,
  };
}
