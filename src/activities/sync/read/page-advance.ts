import { createHash, hash } from "node:crypto";
import { hasLoneSurrogate } from "../../../domain/service/transaction-values.js";
import { type LinkProgress, movesMark } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import { withPageHash } from "../../../lake/sync/link-checkpoint.js";
import { deliveredText } from "../../../streams/clean-page.js";
import type { PageFacts } from "../../../streams/transaction-page.js";
import { transactionStream } from "../../../streams/transactions.js";

export interface ReadPage {
  readonly facts: PageFacts;
  readonly body: Buffer;
  /** Of the body. */
  readonly sha256: string;
  readonly place: Place;
  /** Whether it repeats the page before it, and so adds nothing. */
  readonly repeats: boolean;
}

/** Hashes the raw text that a page delivered. */
export function deliveredSha256(body: Buffer): string {
  return createHash("sha256")
    .update(deliveredText(transactionStream, body.toString("utf8")) ?? "")
    .digest("hex");
}

/** Returns the progress after one more page, and the outcome if the link ends with that page. Pure. */
export function advance(
  before: LinkProgress,
  { facts, body, repeats, place, sha256 }: ReadPage,
): { progress: LinkProgress; outcome?: LinkOutcome } {
  const { next, hasMore } = facts;
  // A page that repeats what came before it adds nothing.
  const [created = 0, updated = 0, removed = 0] = repeats ? [] : facts.entries;
  const problems = repeats ? [] : facts.problems;
  const bad = (list: string) => problems.filter((problem) => problem.list === list).length;
  const stuck = next === null || next === before.cursor;
  const cursorSha256 = next === null ? null : hash("sha256", next);
  const delivered = created + updated + removed;
  const hasRows = facts.entries.some((entries) => entries > 0);
  const progress: LinkProgress = {
    ...before,
    pages: before.pages + 1,
    cursor: next ?? before.cursor,
    lastNext: next ?? before.lastNext,
    cursorMark: movesMark(before.pages + 1) ? cursorSha256 : before.cursorMark,
    entries: before.entries + delivered,
    staged: [...before.staged, { ...place, entries: delivered }],
    lastPage: place,
    created: before.created + created - bad("created"),
    updated: before.updated + updated - bad("updated"),
    removed: before.removed + removed - bad("removed"),
    quarantined: before.quarantined + problems.length,
    bytes: before.bytes + body.length,
    pagesSha256: withPageHash(before.pagesSha256, sha256),
    lastPageSha256: !hasMore && stuck && hasRows ? deliveredSha256(body) : null,
    streak: null,
    notBefore: 0,
  };
  // No URL can hold such a cursor: once committed, it would stop every later sync of the link.
  if (next !== null && hasLoneSurrogate(next)) {
    return {
      progress: before,
      outcome: { kind: "broken", reason: "schema cursor.next: has a lone surrogate" },
    };
  }
  if (!hasMore) return { progress, outcome: { kind: "complete" } };
  const loops = cursorSha256 !== null && cursorSha256 === before.cursorMark;
  if (stuck || loops) return { progress, outcome: { kind: "broken", reason: "cursor_loop" } };
  return { progress };
}
