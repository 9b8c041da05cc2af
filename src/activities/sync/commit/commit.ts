import { addTotals } from "../../../domain/counts.js";
import type { EndedLink, Link, LinkEnd, Recorded } from "../../../domain/sync/link.js";
import { skippedLinks } from "../../../domain/sync/link-obstacle.js";
import { EVERY_ROW_BAD } from "../../../domain/sync/link-update.js";
import type { CommitWork } from "../../../domain/sync/run/publication.js";
import { noTotals, type SyncTotals, withFailure } from "../../../domain/sync/sync-totals.js";
import { isForgotten } from "../../../lake/sync/forget/forgotten.js";
import { idConflicts } from "../../../lake/sync/id-conflicts.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import { linksToPublish, type SliceReport, withRecords } from "../../../lake/sync/journal/report.js";
import { withoutOpenRows } from "../../../lake/sync/quarantine.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Logger } from "../../../logger.js";
import { transactionStream } from "../../../streams/transactions.js";
import { yieldEvery } from "../../event-loop.js";
import { recordFailures } from "../../run-row.js";
import type { SyncDependencies } from "../dependencies.js";
import { commitFeed } from "./commit-feed.js";
import {
  type CommittedLists,
  type CommittedObservations,
  commitObservations,
  quarantineRow,
} from "./commit-observations.js";
import { endedRow, type LinkSyncRow } from "./link-sync-row.js";
import { loadedFiles } from "./loaded-files.js";
import { type PendingUpdate, pendingUpdate } from "./pending-update.js";

export interface CommitInput extends CommitWork, CommittedLists {}

/** Commits what a run has finished (docs/inside/rules.md, "Commits"). A repeated attempt finds what the earlier one did. */
export async function commit(
  deps: SyncDependencies,
  input: CommitInput,
): Promise<{ readonly totals: SyncTotals } & Pick<CommittedLists, "removed">> {
  const { lake } = deps;
  const { runId } = input;
  const part = `c${input.chunk}`;
  const appId = `${runId}/${part}`;
  await recordFailures(lake, { runId, part }, input.failed);
  const reports: SliceReport[] = [];
  const feed = await lake.table(transactionChanges.name).snapshot();
  // Of a user who was forgotten since, nothing is written.
  const stays = ({ fp_id }: { readonly fp_id: string }) => !isForgotten(feed, fp_id);
  for (const { place } of input.reports) {
    const { observed, ...report } = await readValue<SliceReport>(lake.store, runId, place);
    reports.push({ ...report, observed: observed.filter(stays) });
  }
  const lists = await commitObservations(deps, input, appId, reports);
  await recordFailures(lake, { runId, part: `${part}/lists` }, lists.failures);
  const read = input.links.filter(({ stage }) => stage === "read");
  const readings = new Map<string, Link & Recorded>();
  const ended: EndedLink[] = reports.flatMap((report) => report.ended);
  for (const link of await linksToPublish(lake.store, runId, read, input.loaded)) {
    const { link_id } = link.record;
    // The run has read it twice, for two users.
    if (readings.has(link_id)) ended.push({ ...link, stage: { status: "superseded", reason: runId } });
    else readings.set(link_id, link);
  }
  ended.push(...(await withRecords(lake.store, runId, input.links.filter(isEnded))));
  const updates = await pendingUpdates(deps, input, [...readings.values()]);
  const staying = updates.filter(({ record }) => stays(record));
  const bad = [...lists.bad, ...staying.flatMap((update) => quarantineRows(runId, update))];
  if (bad.length > 0)
    await appendOnce(lake, quarantine, appId, async () => {
      // Their cursor stays, so they come again each night, and stand there once.
      const stuck = staying.filter(({ problem }) => problem?.startsWith(EVERY_ROW_BAD));
      const fresh = await withoutOpenRows(
        lake,
        stuck.map(({ record }) => record.link_id),
        bad,
      );
      return writeRows(lake, quarantine, runId, fresh);
    });
  const committed = await commitFeed(deps, runId, updates, feed);
  const others = ended.filter(({ record }) => stays(record)).map((link) => endedRow(runId, link));
  const rows = [...committed, ...others];
  await appendOnce(lake, linkSyncs, appId, () => writeRows(lake, linkSyncs, runId, rows));
  const known = updates.filter(({ record }) => record.base?.signs_differ);
  logRows(deps.log, runId, rows, new Set(known.map(({ record }) => record.link_id)));
  return { totals: rows.map(totalsOf).reduce(addTotals, totalsOfLists(lists)), removed: lists.removed };
}

function isEnded(link: Link): link is Link & { readonly stage: LinkEnd } {
  return typeof link.stage === "object";
}

function totalsOfLists({ bad, failures }: CommittedObservations): SyncTotals {
  const none = noTotals();
  const failed = new Set(failures.map(({ owner }) => owner)).size;
  const rows = { ...none.rows, quarantined: bad.length };
  return failures.reduce(withFailure, {
    ...none,
    rows,
    users: { total: 0, failed },
  });
}

async function pendingUpdates(
  deps: SyncDependencies,
  input: CommitInput,
  readings: readonly (Link & Recorded)[],
): Promise<readonly PendingUpdate[]> {
  const files = await loadedFiles(deps, input.runId, input.manifests, readings);
  const updates: PendingUpdate[] = [];
  const mayYield = yieldEvery();
  for (const reading of readings) {
    await mayYield();
    updates.push(await pendingUpdate(deps, input, files, reading));
  }
  const created = updates.filter(({ checkpoint }) => checkpoint !== null && checkpoint.created > 0);
  const conflicts = await idConflicts(deps.lake, created);
  return updates.map(({ checkpoint, ...update }) => {
    const id_conflicts = conflicts.get(update.record.link_id);
    return { ...update, checkpoint: checkpoint && { ...checkpoint, ...(id_conflicts && { id_conflicts }) } };
  });
}

/** Logs a bank whose signs contradict the types once for each link. */
function logRows(
  log: Logger,
  run_id: string,
  rows: readonly LinkSyncRow[],
  known: ReadonlySet<string>,
): void {
  for (const { link_id, status, reason, pages, sign_conflicts } of rows) {
    if (status === "failed") log.warn({ run_id, link_id, reason }, "failed");
    if (status === "still_reading") {
      const message =
        "it was read for as long as a run may, and its update has not ended; the next run goes on";
      log.warn({ run_id, link_id, pages }, message);
    }
    if (status === "superseded") {
      const message =
        reason === run_id ? "this run has read it twice, for two users" : "another run committed it first";
      log.info({ run_id, link_id, by: reason }, message);
    }
    if (sign_conflicts > 0 && !known.has(link_id)) {
      const message = "amounts have another sign than their type says; signed_amount follows the type";
      log.warn({ run_id, link_id, rows: sign_conflicts }, message);
    }
  }
}

function quarantineRows(runId: string, { record, bad }: PendingUpdate): Record<string, unknown>[] {
  const { fp_id, link_id } = record;
  return bad.map(({ row, page, fetchedAt }) => {
    const of = { stream: transactionStream.name, fp_id, link_id, page };
    return quarantineRow(runId, of, row, fetchedAt);
  });
}

function isInError({ status, reason }: LinkSyncRow): boolean {
  return /^(synced|unchanged|still_reading)$/.test(status) && reason !== null;
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
    ...(row.id_conflicts > 0 && { id_conflicts: row.id_conflicts }),
    ...(isInError(row) && { in_error: skippedLinks(row.reason ?? undefined) }),
  };
  if (row.status !== "failed") return totals;
  return withFailure(totals, {
    stream: transactionStream.name,
    owner: row.link_id,
    reason: row.reason ?? "unknown",
  });
}
