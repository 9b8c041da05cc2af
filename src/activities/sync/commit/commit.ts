import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkStatus } from "../../../domain/sync/link-reading.js";
import { skippedLinks } from "../../../domain/sync/skipped-links.js";
import { addTotals, noTotals, type SyncTotals, withFailure } from "../../../domain/sync/sync-totals.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import type { Logger } from "../../../logger.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { breather } from "../../event-loop.js";
import { withHeartbeat } from "../../heartbeat.js";
import { type GroupPlan, type GroupRef, plannedLink } from "../group-plan.js";
import { loadedFiles } from "../reload.js";
import { type Candidate, type CompleteLink, candidateOf } from "./candidate.js";
import { commitFeed } from "./commit-feed.js";
import { endedRow, type LinkSyncRow } from "./link-sync-row.js";

/** A link that ended without anything to commit. */
export interface EndedLink {
  readonly progress: LinkProgress;
  readonly status: LinkStatus;
  readonly reason: string;
}

interface CommitInput extends GroupRef {
  /** Number of this commit within the group: names its transactions. */
  readonly chunk: number;
  readonly complete: readonly CompleteLink[];
  readonly ended: readonly EndedLink[];
  /** Whether large removals were asked for (`--full`). */
  readonly full: boolean;
}

interface CommitResult {
  readonly totals: SyncTotals;
}

/**
 * Commits what a group has finished: `quarantine`, then the feed with rows, cursors and
 * certificates in one commit, then `link_syncs` (docs/architecture.md, "Commit of a group").
 * Repeated, it finds what it did before.
 */
export async function commit(deps: Dependencies, input: CommitInput): Promise<CommitResult> {
  return withHeartbeat(async () => {
    const { staging } = deps.lake;
    const plan = await staging.document<GroupPlan>(input.runId, input.plan);
    const loaded = await loadedFiles(deps, input, plan, input.complete);
    const candidates: Candidate[] = [];
    const breathe = breather();
    for (const link of input.complete) {
      await breathe();
      candidates.push(await candidateOf(deps, input, plan, loaded, link));
    }
    const appId = `${input.runId}/${input.group}.${input.chunk}`;
    await appendOnce(deps.lake, quarantine, appId, () =>
      writeRows(deps.lake, quarantine, input.runId, candidates.flatMap(quarantineRows)),
    );
    const rows = await commitFeed(deps, input, plan, candidates);
    for (const { progress, status, reason } of input.ended) {
      rows.push(endedRow(plan, input.runId, plannedLink(plan, progress.link), progress, status, reason));
    }
    await appendOnce(deps.lake, linkSyncs, appId, () => writeRows(deps.lake, linkSyncs, input.runId, rows));
    const known = candidates.filter(({ planned }) => planned.base?.signs_differ);
    tellOf(deps.log, input.runId, rows, new Set(known.map(({ planned }) => planned.link_id)));
    return { totals: rows.map(totalsOf).reduce(addTotals, noTotals()) };
  });
}

/** Says in the log which links failed or lost, and once for each link that its bank's signs are not the types'. */
function tellOf(log: Logger, run_id: string, rows: readonly LinkSyncRow[], told: ReadonlySet<string>): void {
  for (const { link_id, status, reason, sign_conflicts } of rows) {
    if (status === "failed") log.warn({ run_id, link_id, reason }, "failed");
    if (status === "superseded") log.info({ run_id, link_id, by: reason }, "another run committed it first");
    if (sign_conflicts > 0 && !told.has(link_id)) {
      const message = "amounts have another sign than their type says; signed_amount follows the type";
      log.warn({ run_id, link_id, rows: sign_conflicts }, message);
    }
  }
}

function quarantineRows({ planned, bad, runId }: Candidate): Record<string, unknown>[] {
  return bad.map(({ row, page, fetchedAt }) => ({
    run_id: runId,
    stream: transactionStream.name,
    fp_id: planned.fp_id,
    link_id: planned.link_id,
    page,
    index: row.index,
    list: row.list,
    reason: row.reason,
    payload: row.payload,
    fetched_at: fetchedAt.toISOString(),
  }));
}

function totalsOf(row: LinkSyncRow): SyncTotals {
  const none = noTotals();
  const totals: SyncTotals = {
    ...none,
    links: { ...none.links, [row.status]: 1 },
    skipped: skippedLinks(row.status === "skipped" ? (row.reason ?? "unknown") : undefined),
    rows: { created: row.created, updated: row.updated, removed: row.removed, quarantined: row.quarantined },
    pages: row.pages,
    restarts: row.restarts,
  };
  if (row.status !== "failed") return totals;
  return withFailure(totals, {
    stream: transactionStream.name,
    owner: row.link_id,
    reason: row.reason ?? "unknown",
  });
}
