import { ServiceError } from "@temporalio/client";
import type { RunSummary } from "../../domain/run.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { counted } from "../../domain/words/counted.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { namedPages } from "../../lake/sync/journal/journal.js";
import { type CommittedByRun, committedByRun } from "../../lake/sync/link-checkpoint.js";
import { transactionChanges } from "../../lake/tables/transactions.js";
import { transactionStream } from "../../streams/transactions.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import { runningRuns } from "../../temporal/running-workflows.js";
import type { SyncProgress } from "../../workflows/sync/sync.js";
import { withLakeReader } from "../lake/reader.js";
import type { JobSession } from "../session/job-session.js";
import { RETRY_ONLY, type RunKind, retrySteps, type WatchedRun } from "../shell/kind.js";
import type { Terminal } from "../terminal/terminal.js";
import { SYNC_PROGRESS, syncProblems, syncSummary } from "./text.js";

type SyncTold = Omit<SyncSummary, keyof RunSummary>;

/** The runs of syncs. */
export const SYNC: RunKind<SyncProgress, SyncTold> = {
  kind: "sync",
  progress: SYNC_PROGRESS,
  afterStart: nameOtherRuns,
  async left(run, { store }) {
    const { end, sofar } = run;
    const kept = await keptOf(store, run);
    const isKept = end === undefined || end.kind === "interrupted";
    const notes = isKept && kept !== undefined ? keptWords(kept, sofar) : [];
    return { totals: toldOf(sofar, kept?.committed), notes };
  },
  summary: syncSummary,
  problems: syncProblems,
  next: ({ run_id }, failed) =>
    retrySteps(
      `${RETRY_ONLY} runs retry ${run_id}`,
      failed.map(({ reason }) => reason),
    ),
};

/** Reads what the lake holds of a watched run that has not completed. Best effort. */
async function keptOf(
  store: ObjectStore,
  { started, end, watchedMs }: WatchedRun<SyncProgress>,
): Promise<KeptOfRun | undefined> {
  if (end?.kind === "completed" || watchedMs === 0) return undefined;
  return keptSoFar(store, started.runId).catch(() => undefined);
}

/**
 * Names runs of other jobs in this HOME: those that a command left unfinished continue while this one lives. Temporal does not
 * tell them from those that another command is following now. Best effort.
 */
async function nameOtherRuns(
  terminal: Terminal,
  { temporal: { client, embedded }, preflight: { taskQueue } }: JobSession,
  { handle }: StartedRun,
): Promise<void> {
  if (!embedded) return;
  try {
    for (const { handle: other, runId } of await runningRuns(client, taskQueue)) {
      if (other.workflowId === handle.workflowId) continue;
      terminal.say(`run ${runId} of another job is in progress; it continues while this command runs`);
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

interface KeptOfRun {
  readonly committed: CommittedByRun;
  /** Of transactions, read and not committed yet, and of how many links. */
  readonly staged: { readonly pages: number; readonly links: number };
}

/** Reads only names and the feed's log. */
export async function keptSoFar(store: ObjectStore, runId: string): Promise<KeptOfRun> {
  return withLakeReader(store, async (lake) => {
    const committed = committedByRun(await lake.table(transactionChanges.name).snapshot(), runId);
    return { committed, staged: await stagedOf(store, runId, committed.links) };
  });
}

async function stagedOf(store: ObjectStore, runId: string, committed: ReadonlySet<string>) {
  const owners: string[] = [];
  for await (const { stream, owner } of namedPages(store, runId)) {
    if (stream === transactionStream.name && !committed.has(owner)) owners.push(owner);
  }
  return { pages: owners.length, links: new Set(owners).size };
}

/**
 * Totals of a run that its command leaves. The workflow counts finished commits; what a commit under way has done is only in
 * the lake.
 */
export function totalsSoFar(totals: SyncTotals, users: number, committed: CommittedByRun): SyncTotals {
  const { synced, unchanged, still_reading, created, updated, removed, pages } = committed;
  const { links, rows } = totals;
  return {
    ...totals,
    users: { ...totals.users, total: users },
    links: {
      ...links,
      synced: Math.max(links.synced, synced),
      unchanged: Math.max(links.unchanged, unchanged),
      still_reading: Math.max(links.still_reading, still_reading),
    },
    rows: {
      ...rows,
      created: Math.max(rows.created, created),
      updated: Math.max(rows.updated, updated),
      removed: Math.max(rows.removed, removed),
    },
    pages: Math.max(totals.pages, pages),
  };
}

/** Says what a run that its command leaves has read, and how much of it is safe. */
export function keptWords({ committed, staged }: KeptOfRun, progress: SyncProgress | undefined): string[] {
  const { links, created, updated, removed } = committed;
  const done = progress && `; ${progress.usersDone} of ${counted(progress.usersTotal, "user")} were read`;
  const rows = counted(created + updated + removed, "row");
  const kept =
    links.size === 0 ? "nothing yet" : `${counted(links.size, "link")} with ${rows}, safe in the lake`;
  const safe = `committed: ${kept}${done ?? ""}`;
  if (staged.pages === 0) return [safe];
  const others = counted(staged.links, links.size === 0 ? "link" : "other link");
  return [safe, `staged: ${counted(staged.pages, "page")} of ${others}, which will not be requested again`];
}
