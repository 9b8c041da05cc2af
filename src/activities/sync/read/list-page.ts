import { AnotherSubjectError } from "../../../api/http/errors.js";
import { maskedId } from "../../../domain/service/external-id.js";
import { dayOf, isIsoDate } from "../../../domain/service/transaction-values.js";
import { isReadState, linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import { linkCheckpoint } from "../../../lake/sync/link-checkpoint.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import type { ObservedListing } from "../../../streams/observed-listings.js";
import { type PageReading, rowsAt } from "../../../streams/page-reading.js";
import type { Listing } from "../../../streams/stream.js";
import { transactionStream } from "../../../streams/transactions.js";

export interface ListedLink {
  readonly id: string;
  /** Why it is not read, or may be refused; null for a connected one. */
  readonly obstacle: string | null;
  readonly isRead: boolean;
}

/** The latest day of the rows of a page, where they have one. */
export function newestDay({ operation, windowed = "" }: ObservedListing, { envelope }: PageReading) {
  const rows = (envelope as Readonly<Record<string, readonly unknown[]>>)[operation.list?.rows ?? ""] ?? [];
  const days = rows.map((row) => (row as Readonly<Record<string, unknown>> | null)?.[windowed]);
  const newest = days
    .filter((day) => typeof day === "string" && isIsoDate(day))
    .map((day) => dayOf(day as string))
    .sort()
    .at(-1);
  return newest === undefined ? {} : { newest };
}

/** The links of a list, without bad rows. */
export function listedLinks({ envelope, problems }: PageReading): ListedLink[] {
  const bad = new Set(problems.map(({ index }) => index));
  const good = bankLinkStream.lists.flatMap((list) =>
    rowsAt(envelope, list).filter((_, index) => !bad.has(index)),
  ) as { readonly id: string; readonly state: string; readonly error_code?: string | null }[];
  return good.map(({ id, state, error_code }) => ({
    id,
    obstacle: linkObstacle(state, error_code ?? null),
    isRead: isReadState(state),
  }));
}

/**
 * Checks that some of a user's accounts are of a link that the user has or had, and none of a link that was read for another
 * user: one that nobody has may have come since the links were listed.
 *
 * @param links undefined where they were not read
 * @throws AnotherSubjectError
 */
export function mustBeOfLinks(
  listing: Listing,
  reading: PageReading,
  fpId: string,
  { links, feed }: { readonly links: readonly ListedLink[] | undefined; readonly feed: Snapshot },
): void {
  if (links === undefined) return;
  const own = new Set(links.map(({ id }) => id));
  const named = textsOf(listing, reading, "link_id");
  const ownerOf = (link: string) => (own.has(link) ? fpId : linkCheckpoint(feed, link)?.fp_id);
  const others = named.filter((link) => ownerOf(link) !== fpId);
  const isOfAnother = (link: string) => ownerOf(link) !== undefined;
  const wrong = others.find(isOfAnother) ?? (others.length === named.length ? others[0] : undefined);
  if (wrong === undefined) return;
  const mismatch = { answered: maskedId(wrong), asked: `one of ${own.size}`, field: "accounts[].link_id" };
  throw new AnotherSubjectError({ operation: listing.operation.name, sent: true }, mismatch);
}

function textsOf({ lists }: Listing, { envelope }: PageReading, field: string): string[] {
  return lists
    .flatMap((list) => rowsAt(envelope, list))
    .map((row) => (row as Readonly<Record<string, unknown>> | null)?.[field])
    .filter((value) => typeof value === "string");
}

export function readsTransactions(selected: readonly string[]): boolean {
  return selected.includes(transactionStream.name);
}
