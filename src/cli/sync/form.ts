import { ServiceError } from "@temporalio/client";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { CommittedByRun } from "../../lake/sync/link-checkpoint.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import type { JobSession } from "../session/job-session.js";
import type { JobRun, LeftRun } from "../shell/run.js";
import { declaredRun, type Finished, type RunResult } from "../shell/summary.js";
import type { Terminal } from "../terminal/terminal.js";
import { type KeptOfRun, keptSoFar, keptWords, totalsSoFar } from "./left-run.js";
import { SYNC_PROGRESS, syncProblems, syncSummary } from "./text.js";

/** What a sync tells besides what every run does. */
type SyncTold = Omit<SyncSummary, keyof RunResult>;

/**
 * Makes a sync as its command runs it.
 *
 * @param start starts or joins the run
 * @param judging judges the result of the run
 */
export function syncRun(
  terminal: Terminal,
  start: (session: JobSession) => Promise<StartedRun>,
  judging: { finish?(result: SyncResult): Promise<Finished>; readonly unjudged?: object } = {},
): JobRun<SyncProgress, RunResult & SyncTold> {
  return declaredRun<SyncProgress, SyncTold>({
    start,
    afterStart: (session, started) => nameOtherRuns(terminal, session, started),
    progress: SYNC_PROGRESS,
    async left(left, { store }) {
      const { end, sofar } = left;
      const kept = await keptOf(store, left);
      const isKept = end === undefined || end.kind === "interrupted";
      const notes = isKept && kept !== undefined ? keptWords(kept, sofar) : [];
      return { totals: toldOf(sofar, kept?.committed), notes };
    },
    summary: syncSummary,
    problems: syncProblems,
    ...judging,
  });
}

/** Reads what the lake holds of a watched run that has not completed. Best effort. */
async function keptOf(
  store: ObjectStore,
  { started, end, watchedMs }: LeftRun<SyncProgress, unknown>,
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

/** What a run without a result tells. @param committed what the lake holds of it */
function toldOf(sofar: SyncProgress | undefined, committed: CommittedByRun | undefined): SyncTold {
  const seen = sofar?.totals ?? noTotals();
  const totals = committed === undefined ? seen : totalsSoFar(seen, sofar?.usersTotal ?? 0, committed);
  return { ...totals, lists: [], quarantine: { new: totals.rows.quarantined, open: null } };
}
