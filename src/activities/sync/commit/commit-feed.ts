import { creationOf } from "../../../lake/delta/delta-schema.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import type { LinkCheckpoint } from "../../../lake/sync/link-checkpoint.js";
import { compareHead, type LinkUpdate, linkCheckpointActions } from "../../../lake/sync/link-update.js";
import { addOf, type DataFile } from "../../../lake/tables/parquet-file.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { linkOf, loadPages } from "../load/load-pages.js";
import type { ManifestFile } from "../load/manifest.js";
import { LostPageError } from "../load/page-to-load.js";
import type { Candidate } from "./candidate.js";
import { committedRow, endedRow, type LinkSyncRow } from "./link-sync-row.js";
import { lostReason } from "./reload.js";

/** A resync that would take away more than this many rows, and more than half, needs `--full`. */
const FEW_REMOVALS = 20;

/** What is known of the standing of links, found while trying to commit them. */
interface Standings {
  /** Those that another run was faster with, and its id. */
  readonly superseded: Map<Candidate, string | null>;
  /** Whose pages had to be loaded once more and were gone by then, and the reason. */
  readonly lost: Map<Candidate, string>;
  readonly committed: Map<Candidate, LinkCheckpoint>;
}

/**
 * The one commit that carries rows, cursors and certificates of finished links
 * (docs/inside/architecture.md, "Commits" and "Heads"). A link that lost is left out: files that hold its
 * rows are loaded again without it.
 */
export async function commitFeed(
  deps: Dependencies,
  input: { readonly runId: string; readonly full: boolean },
  candidates: readonly Candidate[],
): Promise<LinkSyncRow[]> {
  const ended = (
    candidate: Candidate,
    status: "unchanged" | "failed" | "superseded",
    reason: string | null,
  ) =>
    endedRow(input.runId, candidate.planned, candidate.progress, status, reason, {
      quarantined: candidate.bad.length,
    });
  const refused = candidates.filter((candidate) => refusal(candidate, input.full) !== null);
  const idle = candidates.filter((candidate) => candidate.domain === null && !refused.includes(candidate));
  const wanted = candidates.filter((candidate) => candidate.domain !== null && !refused.includes(candidate));
  const { committed, lost, superseded } = await publish(deps, input.runId, candidates, wanted);
  return [
    ...wanted.map((candidate) => {
      const domain = committed.get(candidate);
      if (domain !== undefined) return committedRow(domain);
      const reason = lost.get(candidate);
      return reason === undefined
        ? ended(candidate, "superseded", superseded.get(candidate) ?? null)
        : ended(candidate, "failed", reason);
    }),
    ...idle.map((candidate) => ended(candidate, "unchanged", null)),
    ...refused.map((candidate) => ended(candidate, "failed", refusal(candidate, input.full))),
  ];
}

/** Why a complete update is not committed all the same; null where it may be. */
function refusal({ problem, removals }: Candidate, full: boolean): string | null {
  if (problem !== null) return problem;
  const { gone, known } = removals ?? { gone: 0, known: 0 };
  return !full && gone > FEW_REMOVALS && gone * 2 > known ? `resync_would_remove ${gone} of ${known}` : null;
}

async function publish(
  deps: Dependencies,
  runId: string,
  candidates: readonly Candidate[],
  wanted: readonly Candidate[],
): Promise<Standings> {
  const feed = deps.lake.table(transactionChanges.name);
  const found: Standings = { superseded: new Map(), lost: new Map(), committed: new Map() };
  const removals = new Map<Candidate, DataFile | undefined>();
  for (;;) {
    const free = wanted.filter(
      (candidate) =>
        !found.superseded.has(candidate) && !found.lost.has(candidate) && !found.committed.has(candidate),
    );
    if (free.length === 0) return found;
    const files = await filesOf(deps, runId, candidates, free, found);
    if (files === undefined) continue;
    for (const candidate of free) {
      if (!removals.has(candidate)) removals.set(candidate, await candidate.removals?.write());
    }
    const committed = await feed.commit((snapshot) => {
      if (!allFree(snapshot, free, found)) return null;
      const inferred = free.flatMap((candidate) => removals.get(candidate) ?? []);
      return [
        ...(snapshot.version === -1 ? creationOf(transactionChanges, Date.now()) : []),
        ...[...files, ...inferred].map((file) => ({ add: addOf(file) })),
        ...linkCheckpointActions(free.map(updateOf)),
      ];
    });
    if (committed !== null) for (const candidate of free) found.committed.set(candidate, domainOf(candidate));
  }
}

function domainOf(candidate: Candidate): LinkCheckpoint {
  if (candidate.domain === null) throw new Error("a link without a change has nothing to commit");
  return candidate.domain;
}

function updateOf(candidate: Candidate): LinkUpdate {
  const { planned } = candidate;
  return { linkId: planned.link_id, baseHead: planned.base?.head ?? null, checkpoint: domainOf(candidate) };
}

function allFree(snapshot: Snapshot, candidates: readonly Candidate[], found: Standings): boolean {
  let all = true;
  for (const candidate of candidates) {
    const now = compareHead(snapshot, updateOf(candidate));
    if (now.kind === "free") continue;
    all = false;
    if (now.kind === "committed") found.committed.set(candidate, now.checkpoint);
    else found.superseded.set(candidate, now.by);
  }
  return all;
}

/**
 * The files of some links; one that also holds rows of others is loaded again without these. Undefined where the
 * pages of a link are gone by now: it is noted as lost.
 */
async function filesOf(
  deps: Dependencies,
  runId: string,
  candidates: readonly Candidate[],
  wanted: readonly Candidate[],
  found: Standings,
): Promise<DataFile[] | undefined> {
  const links = new Set(wanted.map(({ key }) => key));
  const all = new Set<ManifestFile>(candidates.flatMap(({ files }) => files));
  const files: DataFile[] = [];
  for (const one of all) {
    const kept = one.pages.filter(({ link }) => links.has(link));
    if (kept.length === 0) continue;
    const whole = one.pages.every(({ link, entries }) => links.has(link) || entries === 0);
    try {
      const { file } = whole ? one : await loadPages(deps, runId, kept);
      if (file !== undefined) files.push(file);
    } catch (error) {
      if (!(error instanceof LostPageError)) throw error;
      const key = linkOf(error.page);
      const lost = wanted.find((candidate) => candidate.key === key);
      if (lost === undefined) throw error;
      found.lost.set(lost, await lostReason(deps, error));
      return undefined;
    }
  }
  return files;
}
