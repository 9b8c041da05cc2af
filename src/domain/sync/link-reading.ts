import { afterTransient, backoffMs, type OpenOutcome, openUntil, type TransientOutcome } from "../backoff.js";
import { MINUTE } from "../duration.js";
import { type LinkProgress, nextAttempt } from "./link-progress.js";

/** How a link ended in a run: `link_syncs.status`. */
export type LinkStatus =
  | "synced"
  | "unchanged"
  | "still_reading"
  | "skipped"
  | "not_ready"
  | "failed"
  | "superseded";

/** What a slice, or a load of its pages, says of one link. */
export type LinkOutcome =
  | OpenOutcome
  /** `has_more` was false. */
  | { readonly kind: "complete" }
  | TransientOutcome
  /** A 4xx that is none of 404, 408, 429; 401 and 403 where the key is good. */
  | { readonly kind: "rejected"; readonly status: number }
  /** 404. */
  | { readonly kind: "gone" }
  | { readonly kind: "unauthorized"; readonly mayNot?: string }
  /** The envelope breaks the contract, or the cursor loops: a retry does not fix it. */
  | { readonly kind: "broken"; readonly reason: string }
  /** A staged page is lost, or does not match its hash. */
  | { readonly kind: "torn" };

type EndStatus = Extract<LinkStatus, "skipped" | "not_ready" | "failed">;

type LinkVerdict =
  | { readonly kind: "read" | "publish" | "drop"; readonly progress: LinkProgress }
  | {
      readonly kind: "end";
      readonly status: EndStatus;
      readonly reason: string;
      readonly progress: LinkProgress;
    };

/** The committed state that decides about a link besides its progress. */
export interface LinkBase {
  /** The committed cursor; null where there is none. */
  readonly cursor: string | null;
  /** Whether anything of the link was ever committed. */
  readonly known: boolean;
  /** Whether a full resync was committed in part; left out otherwise. */
  readonly isResyncing?: true;
  /** The error that the link is in: it may be refused, and then is skipped for it. Left out for none. */
  readonly obstacle?: string;
}

/** How long the first page of a link in error may fail before the link is skipped. */
const MOST_HINDERED_MS = 10 * MINUTE;

/** Restarts of a link in the middle of an update, and of a user's list that moves, before it fails. */
export const MOST_RESTARTS = 5;
const FALLBACK_SIZE = 100;

function smallerSize(size: number | null): number | null | undefined {
  if (size === null) return undefined;
  return size > FALLBACK_SIZE ? FALLBACK_SIZE : null;
}

/** The next attempt of the same kind, with another page size perhaps. */
function again(progress: LinkProgress, { cursor }: LinkBase, size = progress.size): LinkProgress {
  return nextAttempt(progress, { cursor, size, full: progress.mode === "full" });
}

function end(progress: LinkProgress, status: EndStatus, reason: string): LinkVerdict {
  return { kind: "end", status, reason, progress };
}

/** Reads the update again from its first cursor, after a growing wait, five times at most (docs/inside/rules.md, "Sync rules"). */
function restart(
  progress: LinkProgress,
  base: LinkBase,
  reason: string,
  at: number,
  jitter: number,
): LinkVerdict {
  if (progress.restarts >= MOST_RESTARTS)
    return end(progress, "failed", `${reason} after ${MOST_RESTARTS} restarts`);
  const restarts = progress.restarts + 1;
  const notBefore = at + backoffMs(restarts, jitter);
  return { kind: "read", progress: { ...again(progress, base), restarts, notBefore } };
}

/** Restarts an update that is refused in its middle; one that is refused each time is read once from the beginning. */
function afterRefusalInside(
  progress: LinkProgress,
  base: LinkBase,
  status: number,
  at: number,
  jitter: number,
): LinkVerdict {
  if (progress.restarts < MOST_RESTARTS || progress.mode === "full")
    return restart(progress, base, `update_refused http_${status}`, at, jitter);
  return { kind: "read", progress: nextAttempt(progress, { cursor: null, size: progress.size, full: true }) };
}

/**
 * Judges a refusal by where it came, because nobody knows the bodies of the service's errors: on a first page the link
 * tries a smaller size, then none, then (with a stored cursor) a full resync; in the middle it restarts.
 */
function afterRejection(
  progress: LinkProgress,
  base: LinkBase,
  status: number,
  askedSize: number,
  at: number,
  jitter: number,
): LinkVerdict {
  // Not what is asked is refused, but the link.
  if (status === 401 || status === 403) return end(progress, "failed", `refused http_${status}`);
  if (progress.pages > 0) return afterRefusalInside(progress, base, status, at, jitter);
  const size = smallerSize(progress.size);
  if (size !== undefined) return { kind: "read", progress: again(progress, base, size) };
  if (progress.mode === "incremental") {
    return { kind: "read", progress: nextAttempt(progress, { cursor: null, size: askedSize, full: true }) };
  }
  return end(progress, "failed", `refused http_${status}`);
}

/**
 * Judges a 404, which a cursor that the service forgot may get too: only one to a call without a cursor says that the link
 * is gone.
 */
function afterGone(progress: LinkProgress, base: LinkBase, at: number, jitter: number): LinkVerdict {
  if (progress.cursor === null) return end(progress, "skipped", "link_gone");
  if (progress.pages > 0) return afterRefusalInside(progress, base, 404, at, jitter);
  return { kind: "read", progress: nextAttempt(progress, { cursor: null, size: progress.size, full: true }) };
}

function afterCompletion(progress: LinkProgress, base: LinkBase): LinkVerdict {
  const { mode, lastNext, entries } = progress;
  // A link that was never given a cursor brings its rows all the same.
  const isCursorless = base.cursor === null && entries > 0;
  if (mode === "incremental" || lastNext !== null || isCursorless) return { kind: "publish", progress };
  if (!base.known && base.obstacle !== undefined) return end(progress, "skipped", base.obstacle);
  if (!base.known) return end(progress, "not_ready", "no history yet");
  return end(progress, "failed", "resync_without_cursor");
}

/** Whether a link in error gives nothing: its first page is refused, or fails for some minutes. */
function isWithheld({ pages, streak }: LinkProgress, { kind }: LinkOutcome, at: number): boolean {
  if (pages > 0) return false;
  if (kind === "transient") return streak !== null && at - streak.since >= MOST_HINDERED_MS;
  return kind === "rejected" || kind === "gone";
}

/** Decides about a link after an outcome that came at `at` (docs/inside/rules.md, "Sync rules"). Pure. */
export function afterOutcome(
  progress: LinkProgress,
  base: LinkBase,
  outcome: LinkOutcome,
  askedSize: number,
  at: number,
  jitter: number,
): LinkVerdict {
  if (base.obstacle !== undefined && isWithheld(progress, outcome, at))
    return end(progress, "skipped", base.obstacle);
  switch (outcome.kind) {
    case "open":
      return { kind: "read", progress: { ...progress, notBefore: openUntil(outcome, at) } };
    case "complete":
      return afterCompletion(progress, base);
    case "transient": {
      const verdict = afterTransient(progress.streak, at, outcome, jitter);
      if (verdict.kind === "give_up") return end(progress, "failed", verdict.reason);
      const { streak, notBefore } = verdict;
      const isHindered = base.obstacle !== undefined && progress.pages === 0;
      const givesUpAt = isHindered ? streak.since + MOST_HINDERED_MS : undefined;
      return { kind: "read", progress: { ...progress, streak, notBefore, givesUpAt } };
    }
    case "rejected":
      return afterRejection(progress, base, outcome.status, askedSize, at, jitter);
    case "gone":
      return afterGone(progress, base, at, jitter);
    case "unauthorized":
      return { kind: "drop", progress };
    case "broken":
      return end(progress, "failed", outcome.reason);
    case "torn":
      return restart(progress, base, "staged_page_torn", at, jitter);
  }
}

/**
 * How a slice hands on a link: `quiet` has nothing to commit and `finished` only has to be loaded, so both go into its
 * report; `open` is for the run to judge. `before` is of when the slice began. Pure.
 */
export function endOfReading(
  before: LinkProgress,
  progress: LinkProgress,
  outcome: LinkOutcome,
  base: LinkBase,
): "quiet" | "finished" | "open" {
  if (outcome.kind !== "complete") return "open";
  const { mode, entries, restarts, lastNext } = progress;
  const isEnd = base.known && !base.isResyncing;
  const isUnmoved = isEnd && mode === "incremental" && (lastNext ?? base.cursor) === base.cursor;
  if (isUnmoved && entries === 0 && restarts === 0) return "quiet";
  const isWithinSlice = before.pages === 0 && before.restarts === 0;
  return isWithinSlice && afterCompletion(progress, base).kind === "publish" ? "finished" : "open";
}
