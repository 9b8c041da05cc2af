import type { Place } from "../../../domain/sync/place.js";
import type { CleanedPlaces } from "../../../lake/sync/journal/record.js";

export interface PageToLoad {
  readonly place: Place;
  readonly runId: string;
  readonly fpId: string;
  readonly linkId: string | null;
  readonly generation: number | null;
  readonly sequenceFrom: number | null;
  readonly page: number;
  /** How many entries the page adds, where that is known; 0 where it is empty or repeats the one before. */
  readonly entries?: number;
  /** Key of its link's record; left out of a page of a user. */
  readonly link?: string;
}

/** What SQL read in place of a page, and when the page came. */
export interface LoadedPage {
  readonly fetchedAt: Date;
  readonly cleaned: CleanedPlaces | undefined;
}

/** Thrown when a staged page is gone, or is not the one that was read. */
export class LostPageError extends Error {
  override readonly name = "LostPageError";

  constructor(readonly page: PageToLoad) {
    super(`a staged page of ${page.linkId ?? page.fpId} is lost`);
  }
}

/** Thrown when a page's envelope can't be loaded: its owner fails. */
export class PageRefusedError extends Error {
  override readonly name = "PageRefusedError";

  constructor(
    readonly page: PageToLoad,
    readonly reason: string,
  ) {
    super(`a page can't be loaded: ${reason}`);
  }
}
