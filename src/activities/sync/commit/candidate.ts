import { hasLoneSurrogate } from "../../../domain/service/transaction-values.js";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import { placeKey } from "../../../domain/sync/place.js";
import type { LinkRows } from "../../../lake/sync/feed-file.js";
import { type InferredRemovals, inferRemovals } from "../../../lake/sync/inferred-removals.js";
import { type BadRow, readBadRows } from "../../../lake/sync/journal/journal.js";
import { type FoundLink, generationOf } from "../../../lake/sync/journal/report.js";
import { certificateOf, type LinkCheckpoint } from "../../../lake/sync/link-checkpoint.js";
import type { Dependencies } from "../../dependencies.js";
import type { ManifestFile } from "../load/manifest.js";
import type { KnownLink } from "./complete-links.js";
import type { LoadedFiles } from "./reload.js";

/** A bad row with its place. */
interface QuarantinedRow {
  readonly row: BadRow;
  readonly page: number;
  readonly fetchedAt: Date;
}

/** A complete update with all that its commit needs. */
export interface Candidate {
  readonly runId: string;
  /** Key of the link's record. */
  readonly key: string;
  readonly progress: LinkProgress;
  readonly planned: FoundLink;
  /** Files that hold its rows; others may share them. */
  readonly files: readonly ManifestFile[];
  readonly bad: readonly QuarantinedRow[];
  /** What a full resync of a known link makes disappear. */
  readonly removals: InferredRemovals | undefined;
  /** The link's next state; null where nothing came and the cursor stayed. */
  readonly domain: LinkCheckpoint | null;
  /** Why it must never be committed; null where nothing speaks against it. */
  readonly problem: string | null;
}

/**
 * Gathers a link's update from its manifests. Where loaded and quarantined rows don't add up to what was
 * delivered, SQL has read a page otherwise than the activity that staged it: the link fails with that.
 */
export async function candidateOf(
  deps: Dependencies,
  runId: string,
  { files: filesOf, lost }: LoadedFiles,
  { link, progress, found: planned }: KnownLink,
): Promise<Candidate> {
  const key = placeKey(link);
  const unfit = (problem: string, of: readonly ManifestFile[]): Candidate => {
    return { runId, key, progress, planned, files: of, bad: [], removals: undefined, domain: null, problem };
  };
  const gone = lost.get(key);
  if (gone !== undefined) return unfit(gone, []);
  const files = filesOf.get(key) ?? [];
  const loaded = files.flatMap(
    ({ file }) => file?.links.filter((rows) => rows.link_id === planned.link_id) ?? [],
  );
  const counts = countsOf(loaded);
  const rows = counts.created + counts.updated + counts.removed;
  const bad = rows === progress.entries ? [] : await badRows(deps, runId, key, files);
  if (rows + bad.length !== progress.entries || bad.length < progress.quarantined) {
    return unfit(
      `schema ${rows} rows loaded and ${bad.length} quarantined of ${progress.entries} delivered`,
      files,
    );
  }
  const next = (planned.base?.next_sequence ?? 1) + progress.entries;
  const removals =
    progress.mode === "full" && planned.base !== null
      ? await inferRemovals(deps.lake, {
          linkId: planned.link_id,
          fpId: planned.fp_id,
          runId,
          generation: generationOf(planned, progress),
          sequenceFrom: next,
          files: files.flatMap(({ file }) => (file === undefined ? [] : [file])),
          quarantinedIds: bad.flatMap(({ row }) => idOf(row)),
          at: new Date(),
        })
      : undefined;
  const domain = nextDomain(runId, key, planned, progress, counts, bad.length, removals?.gone ?? 0);
  return { runId, key, progress, planned, files, bad, removals, domain, problem: null };
}

type Counts = Omit<LinkRows, "link_id" | "sequence_from" | "sequence_to"> & {
  readonly sequence_from: number | null;
  readonly sequence_to: number | null;
};

function countsOf(loaded: readonly LinkRows[]): Counts {
  const total = (name: "created" | "updated" | "removed" | "sign_conflicts") =>
    loaded.reduce((sum, rows) => sum + rows[name], 0);
  return {
    created: total("created"),
    updated: total("updated"),
    removed: total("removed"),
    sign_conflicts: total("sign_conflicts"),
    sequence_from: loaded.length === 0 ? null : Math.min(...loaded.map((rows) => rows.sequence_from)),
    sequence_to: loaded.length === 0 ? null : Math.max(...loaded.map((rows) => rows.sequence_to)),
  };
}

async function badRows(
  { lake }: Dependencies,
  runId: string,
  key: string,
  files: readonly ManifestFile[],
): Promise<QuarantinedRow[]> {
  const found: QuarantinedRow[] = [];
  const pages = files.flatMap((file) => file.pages).filter(({ link }) => link === key);
  for (const { page, bad, fetched_at } of pages.sort((a, b) => a.page - b.page)) {
    if (bad === undefined || fetched_at === undefined) continue;
    for (const row of (await readBadRows(lake.store, runId, bad)) ?? []) {
      found.push({ row, page, fetchedAt: new Date(fetched_at) });
    }
  }
  return found;
}

/** The id of a bad row where it can be made out: such a row came back, so its removal is not inferred. */
function idOf({ list, payload }: BadRow): string[] {
  const value: unknown = JSON.parse(payload);
  const id = list === "removed" ? value : (value as { transaction_id?: unknown } | null)?.transaction_id;
  return typeof id === "string" && !hasLoneSurrogate(id) ? [id] : [];
}

function nextDomain(
  runId: string,
  key: string,
  planned: FoundLink,
  progress: LinkProgress,
  counts: Counts,
  quarantined: number,
  inferred: number,
): LinkCheckpoint | null {
  const { base } = planned;
  const cursor = progress.lastNext ?? (progress.mode === "full" ? null : (base?.cursor ?? null));
  const generation = generationOf(planned, progress);
  const came = counts.created + counts.updated + counts.removed + inferred > 0;
  if (!came && base !== null && cursor === base.cursor && generation === base.generation) return null;
  const start = base?.next_sequence ?? 1;
  const next = start + progress.entries + inferred;
  const fields = {
    run_id: runId,
    link_id: planned.link_id,
    fp_id: planned.fp_id,
    generation,
    cursor_in: progress.mode === "full" ? null : (base?.cursor ?? null),
    cursor_out: cursor,
    pages: progress.pages,
    created: counts.created,
    updated: counts.updated,
    removed: counts.removed + inferred,
    quarantined,
    sequence_from: counts.sequence_from ?? (inferred > 0 ? start + progress.entries : null),
    sequence_to: inferred > 0 ? next - 1 : counts.sequence_to,
    pages_sha256: progress.pagesSha256,
    certificate_prev: base?.head ?? null,
  };
  return {
    ...fields,
    cursor,
    next_sequence: next,
    head: certificateOf(fields),
    attempt: progress.attempt,
    reading: key,
    restarts: progress.restarts,
    sign_conflicts: counts.sign_conflicts,
    ...((base?.signs_differ || counts.sign_conflicts > 0) && { signs_differ: true }),
    last_page_sha256: progress.lastPageSha256,
    started_at: planned.started_at,
    finished_at: new Date().toISOString(),
  };
}
