import { type PageReading, readPage } from "./page-reading.js";
import { transactionStream } from "./transactions.js";

/**
 * What a sync needs of a page. The parsed rows are dropped before anything is awaited: pages of many links are under way at
 * once, and rows that live longer cost memory and garbage collections.
 */
export interface PageFacts extends Omit<PageReading, "envelope" | "text"> {
  /** Null where it is missing or empty. */
  readonly next: string | null;
  readonly hasMore: boolean;
  /** Of the first row. */
  readonly firstId: string | null;
}

interface Envelope {
  readonly cursor?: { readonly next?: string | null } | null;
  readonly has_more: boolean;
  readonly transactions: Readonly<Record<"created" | "updated" | "removed", readonly unknown[]>>;
}

/** @throws SyntaxError, EnvelopeError as {@link readPage} does */
export function pageFacts(body: Buffer): PageFacts {
  const reading = readPage(transactionStream, body);
  const { cursor, has_more: hasMore, transactions } = reading.envelope as Envelope;
  const first = transactions.created[0] ?? transactions.updated[0] ?? transactions.removed[0];
  const id =
    typeof first === "string" ? first : (first as { transaction_id?: unknown } | null)?.transaction_id;
  // Field by field: the rest of an object costs as much as reading an empty page twice.
  return {
    problems: reading.problems,
    entries: reading.entries,
    unknownFields: reading.unknownFields,
    unreadableScores: reading.unreadableScores,
    needsCleaning: reading.needsCleaning,
    next: cursor?.next || null,
    hasMore,
    firstId: typeof id === "string" ? id : null,
  };
}
