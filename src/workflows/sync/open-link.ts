import type { LinkProgress } from "../../domain/sync/link-progress.js";
import type { LinkBase } from "../../domain/sync/link-reading.js";
import { type Place, sliceOf } from "../../domain/sync/place.js";
import type { NamedFailure } from "../../domain/waiting.js";

/** Attempts of a second try are named apart from those of the first. */
export const SECOND_TRY_ATTEMPTS = 1_000;

/** A link that was begun and not read to its end within one slice. */
export interface OpenLink {
  readonly link: Place;
  readonly base: LinkBase;
  progress: LinkProgress;
  /** Staged names of the manifests that hold its rows so far. */
  manifests: string[];
  complete: boolean;
  /** Loads of its pages that are on their way. */
  loading: number;
  /** Whether a slice has it: its progress is not here but there. */
  inSlice: boolean;
  /** Whether it was not ready before: then it is so for good. */
  readonly again: boolean;
  /** Slices in whose journals its pages may stand: where it was begun, and the first and last that continued it. */
  begun: number[];
  continued: [first: number, last: number] | null;
  /** Its last failure, where it was named. */
  failure?: NamedFailure | undefined;
}

/** A link as its run begins to hold it. */
export function newLink(link: Place, base: LinkBase, progress: LinkProgress): OpenLink {
  const again = progress.attempt >= SECOND_TRY_ATTEMPTS;
  const state = { manifests: [], complete: false, loading: 0, inSlice: false, continued: null };
  return { link, base, progress, again, ...state, begun: [sliceOf(link)] };
}
