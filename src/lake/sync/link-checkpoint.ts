import { hash } from "node:crypto";
import { type CertificateFields, certificateText } from "../../domain/sync/certificate.js";
import type { Snapshot } from "../delta/delta-snapshot.js";

/**
 * The whole committed state of one link: cursor and certificate ride in the commit that carries its rows
 * (docs/inside/architecture.md, "Commits" and "Heads"). `link_syncs` can be rebuilt from it.
 */
export interface LinkDomain extends CertificateFields {
  /** What the next run's first request sends; null reads everything again. */
  readonly cursor: string | null;
  readonly next_sequence: number;
  /** The certificate of the last committed update: what compare-and-swap looks at. */
  readonly head: string;
  readonly attempt: number;
  /** The very reading: two slices of one run may read a link that two users list. */
  readonly reading?: string;
  readonly restarts: number;
  readonly sign_conflicts: number;
  /** Whether a row of the link ever had one: from then on the log is silent about them. */
  readonly signs_differ?: boolean;
  /** Hash of what the last page delivered, kept only where the cursor did not move past it. */
  readonly last_page_sha256: string | null;
  readonly started_at: string;
  readonly finished_at: string;
}

const PREFIX = "nightledger.link.";

/** The Delta domain that holds a link's state. */
export function domainName(linkId: string): string {
  return `${PREFIX}${linkId}`;
}

/** The committed state of a link; undefined where nothing of it was ever committed. */
export function linkDomain(snapshot: Snapshot, linkId: string): LinkDomain | undefined {
  const text = snapshot.domains.get(domainName(linkId));
  return text === undefined ? undefined : (JSON.parse(text) as LinkDomain);
}

/** The committed states of all links, with the ids that their domains name. */
export function* linkDomains({
  domains,
}: Snapshot): Generator<readonly [linkId: string, domain: LinkDomain]> {
  for (const [name, text] of domains) {
    if (name.startsWith(PREFIX)) yield [name.slice(PREFIX.length), JSON.parse(text) as LinkDomain];
  }
}

/** sha256 over the certificate's text (docs/use/tables.md, "Certificate"). */
export function certificateOf(fields: CertificateFields): string {
  return hash("sha256", certificateText(fields));
}

/**
 * The rolling hash with one page more, from the hash of its body: h = sha256hex(h ‖ sha256hex(body))
 * (docs/use/tables.md, "Certificate").
 */
export function withPageHash(pagesSha256: string, bodySha256: string): string {
  return hash("sha256", pagesSha256 + bodySha256);
}
