import type { Unauthorized } from "../../failures.js";
import type { NamedFailure } from "../../waiting.js";
import type { LinkProgress, LinkReading } from "../link-progress.js";
import { afterOutcome, type LinkBase, type LinkOutcome, type LinkStatus } from "../link-reading.js";
import { type Place, sliceOf } from "../place.js";
import type { LinkResult } from "./slice-work.js";

/** Second tries count their attempts from here, apart from those of the first. */
export const SECOND_TRY_ATTEMPTS = 1_000;

/** A link that a slice began and did not read to its end. */
export interface OpenLink extends LinkReading {
  readonly base: LinkBase;
  /** Staged names of the manifests that hold its rows so far. */
  readonly manifests: readonly string[];
  readonly complete: boolean;
  /** Loads of its pages that are under way. */
  readonly loading: number;
  /** Whether a slice is reading it: then `progress` is out of date. */
  readonly inSlice: boolean;
  /** Whether this is its second try, after it was not ready. */
  readonly again: boolean;
  /** Slices whose `begun` folder may hold its pages. */
  readonly begun: readonly number[];
  /** The first and the last slice whose `continued` folder may. */
  readonly continued: readonly [first: number, last: number] | null;
  readonly failure?: NamedFailure | undefined;
  /** Epoch milliseconds at which its first slice ended. */
  readonly since?: number;
}

/** A link that ended without anything to commit. */
export interface EndedLink {
  readonly link: Place;
  readonly progress: Pick<LinkProgress, "pages" | "pagesSha256" | "restarts">;
  readonly status: LinkStatus;
  readonly reason: string;
}

/** A link as its run begins to track it. */
export function newLink(link: Place, base: LinkBase, progress: LinkProgress): OpenLink {
  const again = progress.attempt >= SECOND_TRY_ATTEMPTS;
  const state = { manifests: [], complete: false, loading: 0, inSlice: false, continued: null };
  return { link, base, progress, again, ...state, begun: [sliceOf(link)] };
}

/** A link as a slice leaves it, with the journals that may hold its pages; `known` where its run tracked it before. */
export function afterSlice(
  known: OpenLink | undefined,
  slice: number,
  result: LinkResult,
  at: number,
): OpenLink {
  const link = known ?? newLink(result.link, result.base, result.progress);
  const isContinued = known !== undefined && known.progress.pages > 0;
  const folders = isContinued
    ? { continued: [link.continued?.[0] ?? slice, slice] as const }
    : { begun: [...link.begun, slice] };
  const { failure = link.failure } = result;
  return { since: at, ...link, ...folders, inSlice: false, ...(failure && { failure }) };
}

export interface LinkRules {
  /** Rows requested in one page where no other size is known to work. */
  readonly pageSize: number;
  readonly jitter: () => number;
  /** For how long a link is read, in milliseconds. */
  readonly mostMs: number;
}

type LinkFate =
  | { readonly kind: "open"; readonly link: OpenLink }
  /** The service refused the credentials. */
  | { readonly kind: "refused"; readonly unauthorized: Unauthorized }
  /** The run tries it once more at its end. */
  | { readonly kind: "not_ready" }
  | { readonly kind: "ended"; readonly ended: EndedLink };

/** Decides what becomes of an open link after an outcome that came at `at`. Pure. */
export function fateOf(
  link: OpenLink,
  { progress, outcome }: { readonly progress: LinkProgress; readonly outcome: LinkOutcome },
  at: number,
  { pageSize, jitter, mostMs }: LinkRules,
): LinkFate {
  const verdict = afterOutcome(progress, link.base, outcome, pageSize, at, jitter());
  switch (verdict.kind) {
    case "drop":
      return { kind: "refused", unauthorized: (outcome.kind === "unauthorized" && outcome.mayNot) || true };
    case "end": {
      const { status, reason } = verdict;
      if (status === "not_ready" && !link.again) return { kind: "not_ready" };
      const { pages, pagesSha256, restarts } = verdict.progress;
      return {
        kind: "ended",
        ended: { link: link.link, progress: { pages, pagesSha256, restarts }, status, reason },
      };
    }
    case "read":
    case "publish": {
      const isSame = verdict.progress.attempt === link.progress.attempt;
      const manifests = isSame ? link.manifests : [];
      // What came so far is committed as an update of its own, and its cursor leads on.
      const isTooLong = verdict.kind === "read" && isSame && at - (link.since ?? at) > mostMs;
      const isEnded = isTooLong && verdict.progress.pages > 0;
      const progress = isEnded ? { ...verdict.progress, stillReading: true as const } : verdict.progress;
      const complete = isEnded || verdict.kind === "publish";
      return { kind: "open", link: { ...link, progress, complete, manifests } };
    }
  }
}
