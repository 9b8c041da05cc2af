import { freshProgress, handedToLoading, type Link, type LinkProgress } from "../link.js";
import { SECOND_TRY_ATTEMPTS } from "../link-reading.js";
import { type Place, placeKey, sliceOf } from "../place.js";
import { fairPart } from "./limits.js";
import {
  type ReadSliceResult,
  type ReportRef,
  type SliceWork,
  sizeOf,
  splitRanges,
  type WaitingLinks,
} from "./slice-work.js";

/** What its slice did not end. */
export interface LinkInRun extends Link {
  readonly manifests: readonly string[];
  /** Their `begun` folders may hold its pages. */
  readonly begun: readonly number[];
  /** Their `continued` folders may. */
  readonly continued: readonly [first: number, last: number] | null;
  /** Its first slice ended then. */
  readonly since?: number | undefined;
}

/** Nothing is in a slice, or being loaded, when continue-as-new carries it. */
export interface LinksState {
  /** By the keys of their records. */
  readonly open: Record<string, LinkInRun>;
  waiting: readonly WaitingLinks[];
  /** Without history: the run tries them once more at its end. */
  notReady: readonly Place[];
  /** They have no row of `link_syncs` yet. */
  ended: readonly Link[];
  total: number;
  /** The last one that worked. */
  size: number | null;
}

/** The links that a run tracks: what to read and load next, and what becomes of each. */
export class Links {
  readonly #inSlice = new Set<string>();
  /** Loads of its pages under way. */
  readonly #loading = new Map<string, number>();

  /** @param mostMs for how long a link is read */
  constructor(
    private readonly options: { readonly full: boolean; readonly mostMs: number },
    readonly state: LinksState,
  ) {}

  get open(): LinkInRun[] {
    return Object.values(this.state.open);
  }

  /** In a slice, or waiting for one. */
  get reading(): LinkInRun[] {
    return this.open.filter(({ stage }) => stage === "reading");
  }

  get read(): LinkInRun[] {
    return this.open.filter(({ stage }) => stage === "read");
  }

  get unfinished(): number {
    return sizeOf(this.state.waiting) + this.open.length + this.state.notReady.length;
  }

  /** Those with the fewest pages first, so that none is starved. */
  takeDue(at: number, most: number): Link[] {
    const due = this.reading
      .filter(({ link, progress }) => !this.#inSlice.has(placeKey(link)) && progress.notBefore <= at)
      .sort((a, b) => a.progress.pages - b.progress.pages);
    const taken = due.slice(0, fairPart(due.length, most));
    for (const { link } of taken) this.#inSlice.add(placeKey(link));
    return taken.map(linkOf);
  }

  takeWaiting(most: number): WaitingLinks[] {
    const { waiting } = this.state;
    const [taken, rest] = splitRanges(waiting, fairPart(sizeOf(waiting), most));
    this.state.waiting = rest;
    return taken;
  }

  /** False where there are none. */
  tryAgain(most: number): boolean {
    const { state } = this;
    const links = state.notReady.slice(0, most);
    state.notReady = state.notReady.slice(most);
    const fresh = freshProgress(null, state.size, this.options.full);
    const progress = { ...fresh, attempt: SECOND_TRY_ATTEMPTS };
    for (const link of links) this.#apply({ link, stage: "reading", progress }, 0);
    return links.length > 0;
  }

  applySlice(work: SliceWork, { report, links, size, notBegun, at }: ReadSliceResult): void {
    const { state } = this;
    const attempts = new Map(work.links.map(({ link, progress }) => [placeKey(link), progress.attempt]));
    const left = new Set(links.map(({ link }) => placeKey(link)));
    for (const key of attempts.keys()) {
      this.#inSlice.delete(key);
      // It has ended, and is in the report.
      if (!left.has(key)) delete state.open[key];
    }
    this.#applyCounts(work, report, links.length, notBegun);
    if (size !== undefined) state.size = size;
    for (const link of links) {
      const key = placeKey(link.link);
      // A load that found a page lost has taken it on meanwhile: this is of an earlier attempt.
      if (attempts.has(key) && state.open[key]?.progress.attempt !== attempts.get(key)) continue;
      this.#apply(link, at, work.slice);
    }
  }

  /** Takes back the links that the slice did not begin: the last ones it was given. */
  #applyCounts(work: SliceWork, report: ReportRef | null, left: number, notBegun: number): void {
    const { state } = this;
    const [begun, back] = splitRanges(work.waiting, sizeOf(work.waiting) - notBegun);
    const { ended = 0, waiting = 0, finished } = report ?? {};
    const own = report !== null && waiting > 0 ? [{ report: report.place, from: 0, to: waiting }] : [];
    state.waiting = [...back, ...state.waiting, ...own];
    state.total += ended + (finished?.links ?? 0) + waiting + left - work.links.length - sizeOf(begun);
  }

  /** Pages of links that are read where `withRead`, of others where `isEnough` says so. */
  takeToLoad(withRead: boolean, isEnough: (link: Link) => boolean): Link[] {
    const taken = this.open.filter((one) => {
      if (this.#inSlice.has(placeKey(one.link)) || one.progress.staged.length === 0) return false;
      return one.stage === "read" ? withRead : isEnough(one);
    });
    for (const one of taken) {
      const key = placeKey(one.link);
      this.state.open[key] = { ...one, progress: handedToLoading(one.progress) };
      this.#loading.set(key, (this.#loading.get(key) ?? 0) + 1);
    }
    return taken.map(linkOf);
  }

  applyLoad(loaded: readonly Link[], manifest: string, refused: readonly Link[], at: number): void {
    const others = new Map(refused.map((one) => [placeKey(one.link), one]));
    for (const { link, progress } of loaded) {
      const key = placeKey(link);
      const own = others.get(key);
      others.delete(key);
      this.#loading.set(key, (this.#loading.get(key) ?? 0) - 1);
      const now = this.state.open[key];
      if (now === undefined || now.progress.attempt !== progress.attempt) continue;
      if (own === undefined) this.state.open[key] = { ...now, manifests: [...now.manifests, manifest] };
      else this.#apply(own, at);
    }
    // These were in a report.
    for (const one of others.values()) this.#apply(one, at);
  }

  /** All of their pages are loaded. */
  takeLoaded(): LinkInRun[] {
    const loaded = this.read.filter(
      ({ link, progress }) => !this.#loading.get(placeKey(link)) && progress.staged.length === 0,
    );
    for (const { link } of loaded) delete this.state.open[placeKey(link)];
    return loaded;
  }

  takeEnded(): readonly Link[] {
    const { ended } = this.state;
    this.state.ended = [];
    return ended;
  }

  tryNow(): void {
    for (const one of this.reading)
      this.state.open[placeKey(one.link)] = { ...one, progress: { ...one.progress, notBefore: 0 } };
  }

  /** Infinite where none is being read. */
  get nextDue(): number {
    const idle = this.reading.filter(({ link }) => !this.#inSlice.has(placeKey(link)));
    return Math.min(...idle.map(({ progress }) => progress.notBefore));
  }

  /** Takes a link as a slice, or a load, has left it. */
  #apply(link: Link, at: number, slice?: number): void {
    const { state, options } = this;
    const key = placeKey(link.link);
    const before = state.open[key];
    delete state.open[key];
    if (link.stage === "not_ready") state.notReady = [...state.notReady, link.link];
    else if (typeof link.stage === "object") state.ended = [...state.ended, linkOf(link)];
    else {
      const isSame = before?.progress.attempt === link.progress.attempt;
      const { begun = [sliceOf(link.link)], continued = null } = before ?? {};
      const since = before?.since ?? (slice === undefined ? undefined : at);
      const isContinued = before !== undefined && before.progress.pages > 0;
      const next = {
        ...{ failure: before?.failure, ...link, since, manifests: isSame ? before.manifests : [] },
        begun: slice === undefined || isContinued ? begun : [...begun, slice],
        continued:
          slice !== undefined && isContinued ? ([continued?.[0] ?? slice, slice] as const) : continued,
      };
      // Committed as an update of its own; its cursor leads on.
      const isTooLong = link.stage === "reading" && isSame && at - (since ?? at) > options.mostMs;
      state.open[key] =
        isTooLong && link.progress.pages > 0
          ? { ...next, stage: "read", progress: { ...link.progress, stillReading: true } }
          : next;
    }
  }
}

function linkOf({ link, stage, progress }: Link): Link {
  return { link, stage, progress };
}

export interface ReadSoFar {
  /** Done, and parts of others as far as the pages of those that are done tell. */
  readonly linksRead: number;
  /** Committed or not. */
  readonly pagesRead: number;
}

/** Of a link, before it is done. */
export const MOST_PART = 0.9;

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
