import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkStatus } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import { skippedLinks } from "../../../domain/sync/skipped-links.js";
import {
  addTotals,
  type Failure,
  noTotals,
  type SyncTotals,
  withFailure,
} from "../../../domain/sync/sync-totals.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import { type SliceReport, withFound } from "../../../lake/sync/journal/report.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import type { Logger } from "../../../logger.js";
import { transactionStream } from "../../../streams/transactions.js";
import { breather } from "../../event-loop.js";
import { withHeartbeat } from "../../heartbeat.js";
import { recordFailures } from "../../run-failures.js";
import type { SyncDependencies } from "../dependencies.js";
import { type Candidate, candidateOf } from "./candidate.js";
import { commitFeed } from "./commit-feed.js";
import { commitObservations } from "./commit-observations.js";
import { type CompleteLink, completeLinks, type KnownLink, type LoadedReport } from "./complete-links.js";
import { endedRow, type LinkSyncRow, quietRow } from "./link-sync-row.js";
import { quarantineRow } from "./quarantine-row.js";
import { loadedFiles } from "./reload.js";

/** A link that ended without anything to commit. */
export interface EndedLink {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: Pick<LinkProgress, "pages" | "pagesSha256" | "restarts">;
  readonly status: LinkStatus;
  readonly reason: string;
}

export interface CommitInput {
  readonly runId: string;
  /** Number of this commit within the run: names its transactions. */
  readonly chunk: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Whether large removals were asked for (`--full`). */
  readonly full: boolean;
  /** Reports whose users and quiet links are committed. */
  readonly reports: readonly Place[];
  /** Reports whose finished links are. */
  readonly loaded: readonly LoadedReport[];
  readonly links: readonly CompleteLink[];
  /** Staged names of the manifests that hold the rows of both. */
  readonly manifests: readonly string[];
  readonly ended: readonly EndedLink[];
  /** Users who failed. */
  readonly failed: readonly Failure[];
}

interface CommitResult {
  readonly totals: SyncTotals;
}

/**
 * Commits what a run has finished: what users look like now, `quarantine`, then the feed with rows, cursors and
 * certificates in one commit, then `link_syncs` (docs/inside/architecture.md, "Commits"). Repeated, it finds what it did
 * before.
 */
export async function commit(deps: SyncDependencies, input: CommitInput): Promise<CommitResult> {
  return withHeartbeat(async () => {
    const { lake } = deps;
    const { runId } = input;
    const part = `c${input.chunk}`;
    const appId = `${runId}/${part}`;
    await recordFailures(lake, { runId, part }, input.failed);
    const reports: SliceReport[] = [];
    for (const place of input.reports) reports.push(await readValue<SliceReport>(lake.store, runId, place));
    const badObservations = await commitObservations(deps, input, appId, reports);
    const { links, twice } = await completeLinks(deps, runId, input.loaded, input.links);
    const candidates = await candidatesOf(deps, input, links);
    const bad = [...badObservations, ...candidates.flatMap(quarantineRows)];
    await appendOnce(lake, quarantine, appId, () => writeRows(lake, quarantine, runId, bad));
    const rows = await commitFeed(deps, input, candidates);
    for (const { found, progress } of twice) {
      rows.push(endedRow(runId, found, progress, "superseded", runId));
    }
    for (const { quiet } of reports) rows.push(...quiet.map((link) => quietRow(runId, link)));
    for (const { found, progress, status, reason } of await withFound(lake.store, runId, input.ended)) {
      rows.push(endedRow(runId, found, progress, status, reason));
    }
    await appendOnce(lake, linkSyncs, appId, () => writeRows(lake, linkSyncs, runId, rows));
    const known = candidates.filter(({ planned }) => planned.base?.signs_differ);
    tellOf(deps.log, runId, rows, new Set(known.map(({ planned }) => planned.link_id)));
    const none = noTotals();
    const observed = { ...none, rows: { ...none.rows, quarantined: badObservations.length } };
    return { totals: rows.map(totalsOf).reduce(addTotals, observed) };
  });
}

async function candidatesOf(
  deps: SyncDependencies,
  { runId, manifests }: CommitInput,
  links: readonly KnownLink[],
): Promise<Candidate[]> {
  const files = await loadedFiles(deps, runId, manifests, links);
  const candidates: Candidate[] = [];
  const breathe = breather();
  for (const link of links) {
    await breathe();
    candidates.push(await candidateOf(deps, runId, files, link));
  }
  return candidates;
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
  const { fp_id, link_id } = planned;
  return bad.map(({ row, page, fetchedAt }) => {
    const place = { runId, stream: transactionStream.name, fp_id, link_id, page };
    return quarantineRow(place, row, fetchedAt.toISOString());
  });
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
