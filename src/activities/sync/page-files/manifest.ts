import type { Place } from "../../../domain/sync/place.js";
import type { FeedFile } from "../../../lake/sync/feed-file.js";

/** A page in a manifest: enough to load it again. */
export interface ManifestPage {
  /** Key of its link's record. */
  readonly link: string;
  readonly attempt: number;
  readonly page: number;
  readonly place: Place;
  readonly link_id: string;
  readonly fp_id: string;
  readonly generation: number;
  readonly sequence_from: number;
  /** How many entries the page adds; 0 where it repeats the one before. */
  readonly entries: number;
  /** The bad rows of a page whose clean page was loaded, and when the page came. */
  readonly bad?: Place;
  readonly fetched_at?: string;
}

/** A file of the feed that no commit refers to yet, and the pages in it. */
export interface ManifestFile {
  /** Undefined where the pages held no rows. */
  readonly file?: FeedFile;
  readonly pages: readonly ManifestPage[];
}

export interface LoadManifest {
  readonly files: readonly ManifestFile[];
}
