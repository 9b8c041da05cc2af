import { afterTransient, backoffMs, type OpenOutcome, openUntil, type TransientOutcome } from "../backoff.js";
import { MINUTE } from "../duration.js";
import { freshProgress, type Link, type LinkBase, type LinkProgress, type LinkStatus } from "./link.js";

/** What a slice, or a load, met on one link. */
export type LinkOutcome =
  | OpenOutcome
  /** `has_more` was false. */
  | { readonly kind: "complete" }
  | TransientOutcome
  /** Another 4xx; 401 and 403 where the key is good. */
  | { readonly kind: "rejected"; readonly status: number }
  /** 404. */
  | { readonly kind: "gone" }
  /** The run stops. */
  | { readonly kind: "unauthorized"; readonly mayNot?: string }
  /** The envelope breaks the contract, or the cursor loops: a retry does not help. */
  | { readonly kind: "broken"; readonly reason: string }
  /** A staged page is lost. */
  | { readonly kind: "torn" };

interface LinkStart {
  readonly base: Pick<LinkBase, "cursor" | "resync"> | null;
  readonly obstacle?: string;
}

/** The first page of a link in error may fail for so long before the link is skipped. */
const MOST_HINDERED_MS = 10 * MINUTE;
/** In the middle of an update, or of a user's list that moves. */
export const MOST_RESTARTS = 5;
const FALLBACK_SIZE = 100;
/** Second tries of a link that was not ready count their attempts from here. */
export const SECOND_TRY_ATTEMPTS = 1_000;

/** Decides about a link after an outcome that came at `at` (docs/inside/rules.md, "Sync rules"). Pure. */
export function afterOutcome(
  progress: LinkProgress,
  start: LinkStart,
  outcome: LinkOutcome,
  largestSize: number | null,
  at: number,
  jitter: number,
): Pick<Link, "stage" | "progress"> {
  const { base, obstacle } = start;
  const isFull = progress.mode === "full";
  const read = (change: Partial<LinkProgress>) => {
    return { stage: "reading" as const, progress: { ...progress, ...change } };
  };
  const end = (status: LinkStatus, reason: string) => ({ stage: { status, reason }, progress });
  const again = (size: number | null, full = isFull): LinkProgress => {
    const { attempt, restarts, streak } = progress;
    return {
      ...freshProgress(base?.cursor ?? null, size, full),
      attempt: attempt + 1,
      restarts,
      streak,
    };
  };
  const resync = (size = progress.size) => read(again(size, true));
  /** Reads the update again from its first cursor. */
  const restart = (reason: string) => {
    if (progress.restarts >= MOST_RESTARTS) return end("failed", `${reason} after ${MOST_RESTARTS} restarts`);
    const restarts = progress.restarts + 1;
    return read({ ...again(progress.size), restarts, notBefore: at + backoffMs(restarts, jitter) });
  };
  /** Reads an update that is refused each time once in full. */
  const restartRefused = (status: number) =>
    progress.restarts < MOST_RESTARTS || isFull ? restart(`update_refused http_${status}`) : resync();

  if (obstacle !== undefined && isWithheld(progress, outcome, at)) return end("skipped", obstacle);
  switch (outcome.kind) {
    case "open":
      return read({ notBefore: openUntil(outcome, at) });
    case "unauthorized":
      return read({});
    case "complete":
      return afterCompletion(progress, start);
    case "transient": {
      const verdict = afterTransient(progress.streak, at, outcome, jitter);
      if (typeof verdict === "string") return end("failed", verdict);
      const { streak, notBefore } = verdict;
      const isHindered = obstacle !== undefined && progress.pages === 0;
      return read({
        streak,
        notBefore,
        givesUpAt: isHindered ? streak.since + MOST_HINDERED_MS : undefined,
      });
    }
    // Nobody knows the bodies of the service's errors: a refusal is judged by where it came.
    case "rejected": {
      const { status } = outcome;
      // Not the request is refused, but the link.
      if (status === 401 || status === 403) return end("failed", `refused http_${status}`);
      if (progress.pages > 0) return restartRefused(status);
      if (progress.size !== null) return read(again(progress.size > FALLBACK_SIZE ? FALLBACK_SIZE : null));
      return isFull ? end("failed", `refused http_${status}`) : resync(largestSize);
    }
    // A cursor that the service forgot may get a 404 too: only one without a cursor says that the link is gone.
    case "gone":
      if (progress.cursor === null) return end("skipped", "link_gone");
      return progress.pages > 0 ? restartRefused(404) : resync();
    case "broken":
      return end("failed", outcome.reason);
    case "torn":
      return restart("staged_page_torn");
  }
}

function afterCompletion(progress: LinkProgress, { base, obstacle }: LinkStart) {
  const { mode, lastNext, entries, attempt } = progress;
  const cursor = base?.cursor ?? null;
  const end = (status: LinkStatus, reason: string | null) => ({ stage: { status, reason }, progress });
  if (mode === "incremental" && entries === 0 && (lastNext ?? cursor) === cursor && !base?.resync)
    return end("unchanged", obstacle ?? null);
  // It was never given a cursor, and brings its rows all the same.
  const isCursorless = cursor === null && entries > 0;
  if (mode === "incremental" || lastNext !== null || isCursorless)
    return { stage: "read" as const, progress };
  if (base !== null) return end("failed", "resync_without_cursor");
  if (obstacle !== undefined) return end("skipped", obstacle);
  if (attempt < SECOND_TRY_ATTEMPTS) return { stage: "not_ready" as const, progress };
  return end("not_ready", "no history yet");
}

/** Whether a link in error gives nothing. */
function isWithheld({ pages, streak }: LinkProgress, { kind }: LinkOutcome, at: number): boolean {
  if (pages > 0) return false;
  if (kind === "transient") return streak !== null && at - streak.since >= MOST_HINDERED_MS;
  return kind === "rejected" || kind === "gone";
}
