import { AnotherSubjectError } from "../../../api/http/errors.js";
import { maskedId } from "../../../domain/service/external-id.js";
import { isRealDay } from "../../../domain/service/transaction-values.js";
import { linkObstacle } from "../../../domain/sync/link-obstacle.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import type { ObservedListing } from "../../../streams/observed-listings.js";
import { type PageReading, rowsAt } from "../../../streams/page-reading.js";
import type { Listing } from "../../../streams/stream.js";
import { transactionStream } from "../../../streams/transactions.js";

/** A link of a user's list. */
export interface ListedLink {
  readonly id: string;
  /** Why it can't be read; null for a connected one. */
  readonly obstacle: string | null;
}

/** The latest day of the rows of a page, where they have one. */
export function newestDay({ operation, windowed = "" }: ObservedListing, { envelope }: PageReading) {
  const rows = (envelope as Readonly<Record<string, readonly unknown[]>>)[operation.list?.rows ?? ""] ?? [];
  const days = rows.map((row) => (row as Readonly<Record<string, unknown>> | null)?.[windowed]);
  const newest = days
    .filter((day) => typeof day === "string" && isRealDay(day))
    .sort()
    .at(-1);
  return newest === undefined ? {} : { newest: newest as string };
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
  }));
}

/** The accounts that a page of a link's list names. */
export function namedAccounts(
  listing: Listing,
  reading: PageReading,
): { readonly accounts?: readonly string[] } {
  const accounts = [...new Set(textsOf(listing, reading, "account_id"))];
  return accounts.length === 0 ? {} : { accounts };
}

/**
 * Checks that some of a user's accounts are of a link that the user has: another one may have come since the links were
 * listed.
 *
 * @param links undefined where they were not read
 * @throws AnotherSubjectError
 */
export function mustBeOfLinks(
  listing: Listing,
  reading: PageReading,
  links: readonly ListedLink[] | undefined,
): void {
  const named = textsOf(listing, reading, "link_id");
  const own = new Set(links?.map(({ id }) => id));
  const [other] = named;
  if (links === undefined || other === undefined || named.some((link) => own.has(link))) return;
  const mismatch = { answered: maskedId(other), asked: `one of ${own.size}`, field: "accounts[].link_id" };
  throw new AnotherSubjectError({ operation: listing.operation.name, sent: true }, mismatch);
}

/** The texts of a field in the rows of a page. */
function textsOf({ lists }: Listing, { envelope }: PageReading, field: string): string[] {
  return lists
    .flatMap((list) => rowsAt(envelope, list))
    .map((row) => (row as Readonly<Record<string, unknown>> | null)?.[field])
    .filter((value) => typeof value === "string");
}

/** Whether a run reads the links' transactions. */
export function readsTransactions(selected: readonly string[]): boolean {
  return selected.includes(transactionStream.name);
}
