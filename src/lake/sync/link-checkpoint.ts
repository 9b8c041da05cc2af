import { hash } from "node:crypto";
import { type CertificateFields, certificateText } from "../../domain/sync/certificate.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/**
 * The committed state of one link. The commit with the link's rows also sets its cursor and certificate
 * (docs/inside/architecture.md, "Commits" and "Heads"); `link_syncs` can be rebuilt from it.
 */
export interface LinkCheckpoint extends CertificateFields {
  /** The next run's first request sends it; null reads everything again. */
  readonly cursor: string | null;
  readonly next_sequence: number;
  /** The certificate of the last committed update, which compare-and-swap compares. */
  readonly head: string;
  readonly attempt: number;
  /** Identifies the reading: two slices of one run may read a link that two users list. */
  readonly reading?: string;
  readonly restarts: number;
  readonly sign_conflicts: number;
  /** Whether a row of the link ever had one: from then on the log no longer warns of them. */
  readonly signs_differ?: boolean;
  /** Hash of what the last page delivered, kept only if the cursor did not move past it. */
  readonly last_page_sha256: string | null;
  readonly started_at: string;
  readonly finished_at: string;
}

const PREFIX = "nightledger.link.";

export function checkpointDomain(linkId: string): string {
  return `${PREFIX}${linkId}`;
}

/** Reads the checkpoint of a link; undefined if nothing of it was ever committed. */
export function linkCheckpoint({ domains }: Snapshot, linkId: string): LinkCheckpoint | undefined {
  const text = domains.get(checkpointDomain(linkId));
  return text === undefined ? undefined : (JSON.parse(text) as LinkCheckpoint);
}

export function* linkCheckpoints({ domains }: Snapshot): Generator<readonly [string, LinkCheckpoint]> {
  for (const [name, text] of domains) {
    if (name.startsWith(PREFIX)) yield [name.slice(PREFIX.length), JSON.parse(text) as LinkCheckpoint];
  }
}

/** Computes the sha256 of the certificate's text (docs/use/tables.md, "Certificate"). */
export function certificateOf(fields: CertificateFields): string {
  return hash("sha256", certificateText(fields));
}

/**
 * Adds a page to the rolling hash, by the hash of its body: h = sha256hex(h ‖ sha256hex(body))
 * (docs/use/tables.md, "Certificate").
 */
export function withPageHash(pagesSha256: string, bodySha256: string): string {
  return hash("sha256", pagesSha256 + bodySha256);
}
