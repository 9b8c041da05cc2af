import type { LinkRecord } from "../../../domain/sync/link.js";
import { schemaActions } from "../../../lake/delta/delta-schema.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import { isForgotten } from "../../../lake/sync/forget/forgotten.js";
import {
  checkpointAction,
  compareHead,
  type LinkCheckpoint,
  linkCheckpoint,
} from "../../../lake/sync/link-checkpoint.js";
import { addOf, type DataFile } from "../../../lake/tables/parquet-file.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { loadPages, type RefusedLinks } from "../page-files/load-pages.js";
import { committedRow, endedRow, type LinkSyncRow } from "./link-sync-row.js";
import { reasonsOf } from "./loaded-files.js";
import type { PendingUpdate } from "./pending-update.js";

type UpdateEnd =
  | { readonly kind: "committed"; readonly checkpoint: LinkCheckpoint }
  | { readonly kind: "unchanged" | "failed" | "superseded"; readonly reason: string | null }
  /** Its user was forgotten since: nothing is written of it. */
  | { readonly kind: "forgotten" };

interface WantedUpdate extends PendingUpdate {
  readonly checkpoint: LinkCheckpoint;
}

/**
 * Makes the one commit with rows, cursors and certificates (docs/inside/rules.md, "Commits" and "Heads"), without links
 * that are superseded, or whose user was forgotten meanwhile.
 * @param feed as it was when the commit began
 */
export async function commitFeed(
  deps: Dependencies,
  runId: string,
  updates: readonly PendingUpdate[],
  feed: Snapshot,
): Promise<LinkSyncRow[]> {
  const published = await publish(deps, runId, updates, updates.filter(isWanted));
  return updates.flatMap((update) => {
    const end = published.get(update.key) ?? unpublished(update, feed);
    if (end.kind === "committed") return committedRow(end.checkpoint, update.record);
    if (end.kind === "forgotten") return [];
    const stage = { status: end.kind, reason: end.reason ?? update.record.obstacle ?? null };
    return endedRow(runId, { ...update, stage }, update.bad.length);
  });
}

function unpublished({ record, problem }: PendingUpdate, feed: Snapshot): UpdateEnd {
  if (isForgotten(feed, record.fp_id)) return { kind: "forgotten" };
  return { kind: problem === null ? "unchanged" : "failed", reason: problem };
}

function isWanted(update: PendingUpdate): update is WantedUpdate {
  return update.problem === null && update.checkpoint !== null;
}

/** Commits what turns out to be neither superseded nor lost. Returns how each update ended, by its key. */
async function publish(
  deps: Dependencies,
  runId: string,
  all: readonly PendingUpdate[],
  wanted: readonly WantedUpdate[],
): Promise<ReadonlyMap<string, UpdateEnd>> {
  const ends = new Map<string, UpdateEnd>();
  for (;;) {
    const open = wanted.filter(({ key }) => !ends.has(key));
    if (open.length === 0) return ends;
    const refused: RefusedLinks = new Map();
    const files = await filesOf(deps, runId, all, open, refused);
    for (const [key, reason] of await reasonsOf(deps, runId, refused))
      ends.set(key, { kind: "failed", reason });
    if (refused.size > 0) continue;
    const done = await deps.lake.table(transactionChanges.name).commit((snapshot) => {
      const before = ends.size;
      for (const { key, record, checkpoint } of open) {
        const end = compareHead(snapshot, record.base?.head ?? null, checkpoint);
        if (end.kind !== "free") ends.set(key, end);
        else if (isForgotten(snapshot, record.fp_id) || isErased(snapshot, record))
          ends.set(key, { kind: "forgotten" });
      }
      if (ends.size > before) return null;
      const inferred = open.flatMap(({ removals }) => removals ?? []);
      return [
        ...schemaActions(transactionChanges, snapshot, Date.now()),
        ...[...files, ...inferred].map((file) => ({ add: addOf(file) })),
        ...open.map(({ checkpoint }) => checkpointAction(checkpoint)),
      ];
    });
    if (done === null) continue;
    for (const { key, checkpoint } of open) ends.set(key, { kind: "committed", checkpoint });
  }
}

/** Whether a reading continues rows that were erased since: the next one of the link begins from nothing. */
function isErased(feed: Snapshot, { link_id, base }: LinkRecord): boolean {
  return base !== null && base.cursor !== null && linkCheckpoint(feed, link_id)?.erased === true;
}

/** The files of some updates; one that also holds rows of others is loaded again without those. */
async function filesOf(
  deps: Dependencies,
  runId: string,
  all: readonly PendingUpdate[],
  open: readonly WantedUpdate[],
  refused: RefusedLinks,
): Promise<DataFile[]> {
  const links = new Set(open.map(({ key }) => key));
  const files: DataFile[] = [];
  for (const one of new Set(all.flatMap((update) => update.files))) {
    const own = one.pages.filter(({ link }) => links.has(link));
    const isWhole = one.pages.every(({ link, entries }) => links.has(link) || entries === 0);
    const { file } = isWhole ? one : await loadPages(deps, runId, own, refused);
    if (file !== undefined && own.length > 0) files.push(file);
  }
  return files;
}
