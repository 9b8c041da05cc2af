import type { AdmittedLink } from "../../activities/sync/commit/admit-links.js";
import type { EndedLink } from "../../activities/sync/commit/commit.js";
import type { LinkProgress } from "../../domain/sync/link-progress.js";
import type { SyncTotals } from "../../domain/sync/sync-totals.js";
import type { NamedFailure } from "../../domain/waiting.js";

/** A link that a group is reading. */
export interface OpenLink {
  readonly base: AdmittedLink;
  progress: LinkProgress;
  /** Staged names of the manifests that hold its rows so far. */
  manifests: string[];
  complete: boolean;
  /** Loads of its pages that are on their way. */
  loading: number;
  /** Whether a slice has it: its progress is not here but there. */
  inSlice: boolean;
  /** Its last failure, where it was named. */
  failure?: NamedFailure;
}

/** All that a group carries through continue-as-new. */
export interface CarriedGroup {
  readonly plan: string;
  readonly waiting: readonly number[];
  readonly links: number;
  readonly open: readonly OpenLink[];
  readonly ended: readonly EndedLink[];
  readonly notReady: readonly number[];
  readonly size: number | null;
  readonly chunk: number;
  readonly unauthorized: boolean;
  readonly totals: SyncTotals;
}
