import { hash } from "node:crypto";
import { type CertificateFields, certificateText } from "../../domain/sync/certificate.js";
import type { OpenResync } from "../../domain/sync/link.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/** The committed state of a link, set by the commit with its rows; `link_syncs` can be rebuilt from it. */
export interface LinkCheckpoint extends CertificateFields {
  /** Null reads everything again. */
  readonly cursor: string | null;
  /** Null where no roster had one. */
  readonly external_id: string | null;
  readonly next_sequence: number;
  /** The certificate of the last committed update, which a commit compares. */
  readonly head: string;
  readonly attempt: number;
  /** Two slices of one run may read a link that two users list. */
  readonly reading: string;
  readonly restarts: number;
  readonly sign_conflicts: number;
  readonly id_conflicts?: number;
  /** From then on the log no longer warns of them. */
  readonly signs_differ?: boolean;
  /** The run ended the link before its update had ended. */
  readonly still_reading?: true;
  /** Of a full resync that ended so: its last part infers the removals. */
  readonly resync?: OpenResync;
  /** Where the cursor did not move past it. */
  readonly last_page_sha256: string | null;
  /** Rows were erased since: the next reading begins from nothing. */
  readonly erased?: true;
  readonly started_at: string;
  readonly finished_at: string;
}

const PREFIX = "nightledger.link.";

export function checkpointDomain(linkId: string): string {
  return `${PREFIX}${linkId}`;
}

/** Reads a link's checkpoint; undefined if nothing was ever committed. */
export function linkCheckpoint({ domains }: Snapshot, linkId: string): LinkCheckpoint | undefined {
  const text = domains.get(checkpointDomain(linkId));
  return text === undefined ? undefined : (JSON.parse(text) as LinkCheckpoint);
}

export function* linkCheckpoints({ domains }: Snapshot): Generator<readonly [string, LinkCheckpoint]> {
  for (const [name, text] of domains) {
    if (name.startsWith(PREFIX)) yield [name.slice(PREFIX.length), JSON.parse(text) as LinkCheckpoint];
  }
}

/** Hashes the certificate's text. */
export function certificateOf(fields: CertificateFields): string {
  return hash("sha256", certificateText(fields));
}

/** Adds a page: h = sha256hex(h ‖ sha256hex(body)). */
export function withPageHash(pagesSha256: string, bodySha256: string): string {
  return hash("sha256", pagesSha256 + bodySha256);
}

type HeadComparison =
  /** The pages started from it. */
  | { readonly kind: "free" }
  /** By this reading; the answer was lost. */
  | { readonly kind: "committed"; readonly checkpoint: LinkCheckpoint }
  /** Another run, the reason, committed the link meanwhile; null if the feed has lost its head. */
  | { readonly kind: "superseded"; readonly reason: string | null };

/**
 * Compares heads, never the cursor's text (docs/inside/rules.md, "Heads").
 * @param base the head that the pages started from; null for a new link
 */
export function compareHead(feed: Snapshot, base: string | null, next: LinkCheckpoint): HeadComparison {
  const now = linkCheckpoint(feed, next.link_id);
  if (now !== undefined && isSameReading(now, next)) return { kind: "committed", checkpoint: now };
  if ((now?.head ?? null) === base) return { kind: "free" };
  return { kind: "superseded", reason: now?.run_id ?? null };
}

function isSameReading(a: LinkCheckpoint, b: LinkCheckpoint): boolean {
  return a.run_id === b.run_id && a.attempt === b.attempt && a.reading === b.reading;
}

export function checkpointAction(checkpoint: LinkCheckpoint): DeltaAction {
  return domainAction(checkpointDomain(checkpoint.link_id), checkpoint);
}

/** Sets a value that every snapshot of the table has. */
export function domainAction(domain: string, value: object): DeltaAction {
  return { domainMetadata: { domain, configuration: JSON.stringify(value), removed: false } };
}

/** Gives `link_syncs.status`. */
export function committedStatus({ still_reading, created, updated, removed }: LinkCheckpoint) {
  if (still_reading) return "still_reading";
  return created + updated + removed > 0 ? "synced" : "unchanged";
}

export type CommittedByRun = Readonly<ReturnType<typeof committedByRun>>;

/**
 * Counts what a run has committed, by checkpoints: they are never ahead of its rows. `unchanged` are links of which only
 * the cursor was committed; `removed` includes inferred rows.
 */
export function committedByRun(feed: Snapshot, runId: string) {
  const counts = { synced: 0, unchanged: 0, still_reading: 0, created: 0, updated: 0, removed: 0, pages: 0 };
  const links = new Set<string>();
  for (const [link, checkpoint] of linkCheckpoints(feed)) {
    const { run_id, created, updated, removed, pages } = checkpoint;
    if (run_id !== runId) continue;
    links.add(link);
    counts[committedStatus(checkpoint)] += 1;
    counts.created += created;
    counts.updated += updated;
    counts.removed += removed;
    counts.pages += pages;
  }
  return { ...counts, links };
}
