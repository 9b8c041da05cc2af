import { freshProgress, type Link, type LinkProgress } from "../../../src/domain/sync/link.js";
import { afterOutcome, type LinkOutcome } from "../../../src/domain/sync/link-reading.js";
import type { Place } from "../../../src/domain/sync/place.js";
import type { ReadSliceResult, ReportRef } from "../../../src/domain/sync/run/slice-work.js";

export const SIZE = 500;
export const NEW = { base: null };

/** A record in the journals that a slice began, or continued. */
export function placeIn(slice: number, at = 0, kind = ""): Place {
  return { journal: `${slice}${kind}/a`, at, bytes: 10, sha256: "s" };
}

/** A slice's report with so much in it. */
export function reportOf(slice: number, counts: Partial<ReportRef> & { links?: number } = {}): ReportRef {
  const { links = 0, ...given } = counts;
  const finished = { links, pages: links, entries: links * 10, bytes: links * 100 };
  return {
    place: placeIn(slice, 9_999),
    slices: [],
    ended: 0,
    finished,
    waiting: 0,
    observedBytes: 0,
    ...given,
  };
}

/** A progress with so many more pages of ten rows. */
export function withPages(progress: LinkProgress, pages: number, slice = 0): LinkProgress {
  const kind = progress.pages === 0 ? "" : "-continued";
  const staged = Array.from({ length: pages }, (_, n): LinkProgress["staged"][number] => {
    return { ...placeIn(slice, (progress.pages + n) * 10, kind), entries: 10 };
  });
  const { entries: _, ...lastPage } = staged.at(-1) ?? { entries: 0, ...(progress.lastPage as Place) };
  return {
    ...progress,
    pages: progress.pages + pages,
    entries: progress.entries + pages * 10,
    created: progress.created + pages * 10,
    bytes: progress.bytes + pages * 100,
    cursor: "c",
    lastNext: "c",
    staged: [...progress.staged, ...staged],
    lastPage,
    streak: null,
  };
}

interface LinkMet extends Partial<Pick<Link, "progress" | "failure">> {
  readonly outcome?: LinkOutcome;
  readonly at?: number;
}

/** A new link as a slice leaves it after an outcome: it is open, unless said otherwise. */
export function linkAfter(
  link: Place,
  { progress = freshProgress(null, SIZE, false), outcome = { kind: "open" }, at = 0, failure }: LinkMet = {},
): Link {
  return { link, ...afterOutcome(progress, NEW, outcome, SIZE, at, 0.5), failure };
}

/** What a slice comes to that did nothing but what is given. */
export function sliceResult(given: Partial<ReadSliceResult> = {}): ReadSliceResult {
  return {
    ...{ report: null, usersRead: 0, users: [], failed: [], reached: 0, links: [], notBegun: 0 },
    ...{ calls: 0, answer_bytes: 0, foundNoPlace: false, gateUntil: null, unauthorized: false, at: 0 },
    ...given,
  };
}

export function only<T>(items: readonly T[]): T {
  if (items.length !== 1 || items[0] === undefined) throw new Error(`${items.length} items instead of one`);
  return items[0];
}
