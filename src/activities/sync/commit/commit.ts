import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkStatus } from "../../../domain/sync/link-reading.js";
import { addTotals, noTotals, type SyncTotals, withFailure } from "../../../domain/sync/sync-totals.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
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
  /** What the service said, where a refusal ended it. */
  readonly message?: string;
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
    const links = rows.filter(({ sign_conflicts }) => sign_conflicts > 0).length;
    if (links > 0) {
      const message = "amounts have another sign than their type says; signed_amount follows the type";
      deps.warnings.once(input.runId, "signs", { links }, message);
    }
    const said = new Map<string, string | undefined>();
    for (const { progress, status, reason, message } of input.ended) {
      const planned = plannedLink(plan, progress.link);
      rows.push(endedRow(plan, input.runId, planned, progress, status, reason));
      said.set(planned.link_id, message);
    }
    await appendOnce(deps.lake, linkSyncs, appId, () => writeRows(deps.lake, linkSyncs, input.runId, rows));
    return { totals: rows.map((row) => totalsOf(row, said.get(row.link_id))).reduce(addTotals, noTotals()) };
  });
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

function totalsOf(row: LinkSyncRow, message: string | undefined): SyncTotals {
  const none = noTotals();
  const totals: SyncTotals = {
    ...none,
    links: { ...none.links, [row.status]: 1 },
    rows: { created: row.created, updated: row.updated, removed: row.removed, quarantined: row.quarantined },
    pages: row.pages,
    restarts: row.restarts,
  };
  if (row.status !== "failed") return totals;
  return withFailure(totals, {
    stream: transactionStream.name,
    owner: row.link_id,
    reason: row.reason ?? "unknown",
    ...(message !== undefined && { message }),
  });
}
