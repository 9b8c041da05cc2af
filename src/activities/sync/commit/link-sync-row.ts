import type { EndedLink, LinkRecord, LinkStatus } from "../../../domain/sync/link.js";
import { committedStatus, type LinkCheckpoint } from "../../../lake/sync/link-checkpoint.js";

/** One row of `link_syncs`. */
export interface LinkSyncRow extends Readonly<Record<string, string | number | null>> {
  readonly link_id: string;
  readonly status: LinkStatus;
  readonly reason: string | null;
  readonly pages: number;
  readonly restarts: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly quarantined: number;
  readonly sign_conflicts: number;
  readonly id_conflicts: number;
}

/** Makes the row of the committed checkpoint, so that both always agree. */
export function committedRow(checkpoint: LinkCheckpoint, { obstacle }: LinkRecord): LinkSyncRow {
  const { head, cursor, next_sequence, attempt, reading, last_page_sha256, signs_differ, ...rest } =
    checkpoint;
  const { still_reading: _, resync: __, erased: ___, ...kept } = rest;
  const status = committedStatus(checkpoint);
  return { id_conflicts: 0, ...kept, status, reason: obstacle ?? null, certificate: head };
}

/** Makes the row of a link of which nothing was committed: it repeats the head and has no certificate. */
export function endedRow(
  run_id: string,
  { record, stage, progress }: EndedLink,
  quarantined = 0,
): LinkSyncRow {
  const { link_id, fp_id, external_id, base, started_at } = record;
  return {
    run_id,
    link_id,
    fp_id,
    external_id,
    ...stage,
    generation: base?.generation ?? null,
    cursor_in: base?.cursor ?? null,
    cursor_out: base?.cursor ?? null,
    pages: progress.pages,
    restarts: progress.restarts,
    created: 0,
    updated: 0,
    removed: 0,
    quarantined,
    sign_conflicts: 0,
    id_conflicts: 0,
    sequence_from: null,
    sequence_to: null,
    pages_sha256: progress.pages === 0 ? null : progress.pagesSha256,
    rows_sha256: null,
    certificate_prev: base?.head ?? null,
    certificate: null,
    started_at,
    finished_at: new Date().toISOString(),
  };
}
