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

interface ListedLink {
  readonly id: string;
  /** Why it is not read, or may be refused. */
  readonly obstacle: string | null;
  readonly isRead: boolean;
}

/** Finds the latest day of a page's rows. */
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

export interface LinkList {
  /** Without bad rows. */
  readonly links: readonly ListedLink[];
  /** Of all rows; undefined for one that can't be read. */
  readonly ids: readonly (string | undefined)[];
}

/** Reads a user's links. */
export function linkList({ envelope, problems }: PageReading): LinkList {
  const bad = new Set(problems.map(({ index }) => index));
  const rows = bankLinkStream.lists.flatMap((list) => rowsAt(envelope, list));
  const good = rows.filter((_, index) => !bad.has(index)) as {
    readonly id: string;
    readonly state: string;
    readonly error_code?: string | null;
  }[];
  const links = good.map(({ id, state, error_code }) => ({
    id,
    obstacle: linkObstacle(state, error_code ?? null),
    isRead: isReadState(state),
  }));
  return { links, ids: rows.map((row) => textAt(row, "id")) };
}

/**
 * Checks that some of a user's accounts are of a link that the user has or had, and none of another user's. One of no link
 * may have come since the links were listed.
 * @param ids undefined where the links were not listed
 * @throws AnotherSubjectError
 */
export function mustBeOfLinks(
  listing: Listing,
  reading: PageReading,
  fpId: string,
  { ids, feed }: { readonly ids: LinkList["ids"] | undefined; readonly feed: Snapshot },
): void {
  if (ids === undefined) return;
  const own = new Set(ids);
  const named = textsOf(listing, reading, "link_id");
  const ownerOf = (link: string) => (own.has(link) ? fpId : linkCheckpoint(feed, link)?.fp_id);
  const others = named.filter((link) => ownerOf(link) !== fpId);
  const isOfAnother = (link: string) => ownerOf(link) !== undefined;
  const isOfNone = others.length === named.length && !own.has(undefined);
  const wrong = others.find(isOfAnother) ?? (isOfNone ? others[0] : undefined);
  if (wrong === undefined) return;
  const mismatch = { answered: maskedId(wrong), asked: `one of ${own.size}`, field: "accounts[].link_id" };
  throw new AnotherSubjectError({ operation: listing.operation.name, sent: true }, mismatch);
}

function textsOf({ lists }: Listing, { envelope }: PageReading, field: string): string[] {
  return lists.flatMap((list) => rowsAt(envelope, list)).flatMap((row) => textAt(row, field) ?? []);
}

function textAt(row: unknown, field: string): string | undefined {
  const value = (row as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof value === "string" ? value : undefined;
}

export function readsTransactions(selected: readonly string[]): boolean {
  return selected.includes(transactionStream.name);
}
