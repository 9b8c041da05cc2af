import { moreUnauthorized, type Unauthorized } from "../../failures.js";
import { freshProgress, handedToLoading, type LinkProgress, type LinkReading } from "../link-progress.js";
import type { LinkOutcome } from "../link-reading.js";
import { type Place, placeKey } from "../place.js";
import { fairPart } from "./limits.js";
import {
  afterSlice,
  type EndedLink,
  fateOf,
  type LinkRules,
  newLink,
  type OpenLink,
  SECOND_TRY_ATTEMPTS,
} from "./open-link.js";
import {
  type LinkResult,
  type ReadSliceResult,
  type SliceWork,
  sizeOf,
  splitRanges,
  type WaitingLinks,
} from "./slice-work.js";

interface LinkCounts {
  readonly waiting: readonly WaitingLinks[];
  /** Links without history, which the run tries once more at its end. */
  readonly notReady: readonly Place[];
  /** Links that ended with nothing to commit, and have no row yet. */
  readonly ended: readonly EndedLink[];
  readonly found: number;
  /** The last page size that worked: links begin with it. */
  readonly size: number | null;
}

export interface CarriedLinks extends LinkCounts {
  readonly open: readonly OpenLink[];
}

const NONE: CarriedLinks = { open: [], waiting: [], notReady: [], ended: [], found: 0, size: null };

export interface LinkOptions extends LinkRules {
  readonly full: boolean;
}

export interface LinkToLoad extends LinkReading {
  /** Whether these are all of its pages: then it may share files with others. */
  readonly complete: boolean;
}

/** The links of a run that their slice did not end: what to read and load next, and what becomes of each. */
export class Links {
  readonly #open: Map<string, OpenLink>;
  readonly #notReady: Place[];
  readonly #ended: EndedLink[];
  #state: Omit<LinkCounts, "notReady" | "ended">;

  constructor(
    private readonly options: LinkOptions,
    { open, notReady, ended, ...state }: CarriedLinks = { ...NONE, size: options.pageSize },
  ) {
    this.#open = new Map(open.map((link) => [placeKey(link.link), { ...link, inSlice: false }]));
    this.#notReady = [...notReady];
    this.#ended = [...ended];
    this.#state = state;
  }

  carry(): CarriedLinks {
    return { ...this.state, open: this.open };
  }

  get open(): OpenLink[] {
    return [...this.#open.values()];
  }

  /** Links that are being read, or wait for it. */
  get reading(): OpenLink[] {
    return this.open.filter(({ complete }) => !complete);
  }

  get complete(): OpenLink[] {
    return this.open.filter(({ complete }) => complete);
  }

  get state(): LinkCounts {
    return { ...this.#state, notReady: this.#notReady, ended: this.#ended };
  }

  get unfinished(): number {
    return sizeOf(this.#state.waiting) + this.#open.size + this.#notReady.length;
  }

  /** Takes links that are due, those with the fewest pages first, until the slice brings them back. */
  takeDue(at: number, most: number): LinkReading[] {
    const due = this.reading
      .filter(({ progress, inSlice }) => !inSlice && progress.notBefore <= at)
      .sort((a, b) => a.progress.pages - b.progress.pages);
    const taken = due.slice(0, fairPart(due.length, most));
    for (const link of taken) this.#put({ ...link, inSlice: true });
    return taken.map(({ link, progress }) => ({ link, progress }));
  }

  takeWaiting(most: number): WaitingLinks[] {
    const [taken, waiting] = splitRanges(this.#state.waiting, fairPart(sizeOf(this.#state.waiting), most));
    this.#set({ waiting });
    return taken;
  }

  /** Begins some of the links again that were not ready; false where there are none. */
  tryAgain(most: number): boolean {
    const links = this.#notReady.splice(0, most);
    for (const link of links) {
      const fresh = freshProgress(null, this.#state.size, this.options.full);
      const progress = { ...fresh, attempt: SECOND_TRY_ATTEMPTS };
      this.#put(newLink(link, { cursor: null, known: false }, progress));
    }
    return links.length > 0;
  }

  /** Applies a slice's result. Returns whether the service refused the credentials. */
  applySlice(
    work: Pick<SliceWork, "links" | "waiting">,
    slice: number,
    result: Pick<ReadSliceResult, "report" | "links" | "size" | "notBegun" | "at">,
  ): Unauthorized {
    const given = new Set(work.links.map(({ link }) => placeKey(link)));
    const told = new Set(result.links.map(({ link }) => placeKey(link)));
    // A link that the slice was given and does not name has ended, and is in its report.
    for (const key of given) if (!told.has(key)) this.#open.delete(key);
    this.#applyCounts(work, result);
    let refused: Unauthorized = false;
    for (const one of result.links) {
      const key = placeKey(one.link);
      const known = this.#open.get(key);
      // A load that found a page lost has restarted or ended the link meanwhile: this result is of an earlier attempt.
      const isStale = given.has(key) && known?.progress.attempt !== one.progress.attempt;
      if (!isStale)
        refused = moreUnauthorized(
          refused,
          this.#judge(afterSlice(known, slice, one, result.at), one, result.at),
        );
      else if (known !== undefined) this.#put({ ...known, inSlice: false });
    }
    return refused;
  }

  /** Counts the links that a slice found, and takes back those that it did not begin: the last ones it was given. */
  #applyCounts(
    { links, waiting }: Pick<SliceWork, "links" | "waiting">,
    result: Pick<ReadSliceResult, "report" | "links" | "size" | "notBegun">,
  ): void {
    const { report, notBegun } = result;
    const [begun, back] = splitRanges(waiting, sizeOf(waiting) - notBegun);
    const reported = report === null ? 0 : report.quiet + report.finished.links + report.waiting;
    const isWaiting = report !== null && report.waiting > 0;
    const own = isWaiting ? [{ report: report.place, from: 0, to: report.waiting }] : [];
    this.#set({
      waiting: [...back, ...this.#state.waiting, ...own],
      found: this.#state.found + reported + result.links.length - links.length - sizeOf(begun),
      size: result.size === undefined ? this.#state.size : result.size,
    });
  }

  /** Takes pages to load: of complete links where `withComplete`, of others where `isEnough` says so. */
  takeToLoad(withComplete: boolean, isEnough: (link: OpenLink) => boolean): LinkToLoad[] {
    const taken = this.open.filter((link) => {
      if (link.inSlice || link.progress.staged.length === 0) return false;
      return link.complete ? withComplete : isEnough(link);
    });
    for (const link of taken) {
      this.#put({ ...link, progress: handedToLoading(link.progress), loading: link.loading + 1 });
    }
    return taken.map(({ link, progress, complete }) => {
      return { link, progress, complete: complete && progress.loaded.pages === 0 };
    });
  }

  /** Applies a load's result: its manifest, and the links whose pages it could not load. */
  applyLoad(
    loaded: readonly LinkReading[],
    manifest: string,
    refused: readonly LinkResult[],
    at: number,
  ): void {
    const outcomes = new Map(refused.map((one) => [placeKey(one.link), one]));
    for (const { link: place, progress } of loaded) {
      const key = placeKey(place);
      const outcome = outcomes.get(key)?.outcome;
      outcomes.delete(key);
      const known = this.#open.get(key);
      if (known === undefined) continue;
      const link = { ...known, loading: known.loading - 1 };
      if (link.progress.attempt !== progress.attempt) this.#put(link);
      else if (outcome === undefined) this.#put({ ...link, manifests: [...link.manifests, manifest] });
      else this.#judge(link, { progress: link.progress, outcome }, at);
    }
    // The others were in a report; from now on the run tracks them one by one.
    for (const one of outcomes.values()) this.#judge(newLink(one.link, one.base, one.progress), one, at);
  }

  takeLoaded(): OpenLink[] {
    const loaded = this.complete.filter(
      ({ loading, progress }) => loading === 0 && progress.staged.length === 0,
    );
    for (const { link } of loaded) this.#open.delete(placeKey(link));
    return loaded;
  }

  takeEnded(): readonly EndedLink[] {
    return this.#ended.splice(0);
  }

  tryNow(): void {
    for (const link of this.reading) this.#put({ ...link, progress: { ...link.progress, notBefore: 0 } });
  }

  /** Epoch milliseconds at which the next open link is due; undefined where none is being read. */
  nextDue(): number | undefined {
    const times = this.reading.flatMap(({ inSlice, progress }) => (inSlice ? [] : progress.notBefore));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Keeps, or ends, a link after an outcome. Returns whether the service refused the credentials. */
  #judge(
    link: OpenLink,
    result: { readonly progress: LinkProgress; readonly outcome: LinkOutcome },
    at: number,
  ): Unauthorized {
    const fate = fateOf(link, result, at, this.options);
    if (fate.kind === "open") this.#put(fate.link);
    else this.#open.delete(placeKey(link.link));
    if (fate.kind === "not_ready") this.#notReady.push(link.link);
    if (fate.kind === "ended") this.#ended.push(fate.ended);
    return fate.kind === "refused" && fate.unauthorized;
  }

  #put(link: OpenLink): void {
    this.#open.set(placeKey(link.link), link);
  }

  #set(change: Partial<Omit<LinkCounts, "notReady" | "ended">>): void {
    this.#state = { ...this.#state, ...change };
  }
}

export interface ReadSoFar {
  /** Links that are done, and the parts of others that are read, as far as the pages of those that are done tell. */
  readonly linksRead: number;
  /** Pages read, committed or not. */
  readonly pagesRead: number;
}

/** How much of a link is read at most, before it is done. */
export const MOST_PART = 0.9;

/** @param open the links that are being read */
export function readSoFar(
  done: { readonly links: number; readonly pages: number },
  open: readonly { readonly progress: Pick<LinkProgress, "pages"> }[],
): ReadSoFar {
  const reading = open.map(({ progress }) => progress.pages);
  const part = (pages: number) =>
    done.pages > 0 ? Math.min((pages * done.links) / done.pages, MOST_PART) : 0;
  return {
    linksRead: reading.reduce((sum, pages) => sum + part(pages), done.links),
    pagesRead: reading.reduce((sum, pages) => sum + pages, done.pages),
  };
}
