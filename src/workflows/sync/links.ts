import type { EndedLink } from "../../activities/sync/commit/commit.js";
import type {
  LinkResult,
  OpenLinkProgress,
  ReportRef,
  SliceWork,
  WaitingLinks,
} from "../../activities/sync/read/slice-work.js";
import { freshProgress, type LinkProgress } from "../../domain/sync/link-progress.js";
import { afterOutcome, type LinkOutcome } from "../../domain/sync/link-reading.js";
import { type Place, placeKey } from "../../domain/sync/place.js";
import { newLink, type OpenLink, SECOND_TRY_ATTEMPTS } from "./open-link.js";
import { sizeOf } from "./ranges.js";

/** What a run's links have come to, as it is carried through continue-as-new. */
export interface CarriedLinks {
  readonly waiting: readonly WaitingLinks[];
  readonly open: readonly OpenLink[];
  readonly notReady: readonly Place[];
  readonly ended: readonly EndedLink[];
  readonly found: number;
  readonly size: number | null;
}

interface LinkOptions {
  readonly full: boolean;
  /** Rows asked for in one page where no other size is known to work. */
  readonly pageSize: number;
  readonly jitter: () => number;
}

/** The links of a run that are not read to their end at once: what to read next, and what becomes of each. */
export class Links {
  readonly #open: Map<string, OpenLink>;
  #waiting: WaitingLinks[];
  #notReady: Place[];
  #ended: EndedLink[];
  #found: number;
  #size: number | null;

  constructor(
    private readonly options: LinkOptions,
    carried: CarriedLinks = {
      waiting: [],
      open: [],
      notReady: [],
      ended: [],
      found: 0,
      size: options.pageSize,
    },
  ) {
    this.#open = new Map(carried.open.map((link) => [placeKey(link.link), { ...link, inSlice: false }]));
    this.#waiting = [...carried.waiting];
    this.#notReady = [...carried.notReady];
    this.#ended = [...carried.ended];
    this.#found = carried.found;
    this.#size = carried.size;
  }

  carry(): CarriedLinks {
    const { waiting, notReady, found, size } = this;
    return { waiting, open: this.open, notReady, ended: this.#ended, found, size };
  }

  get open(): OpenLink[] {
    return [...this.#open.values()];
  }

  /** Links that are being read, or wait for it. */
  get reading(): OpenLink[] {
    return this.open.filter(({ complete }) => !complete);
  }

  get waiting(): readonly WaitingLinks[] {
    return this.#waiting;
  }

  get notReady(): readonly Place[] {
    return this.#notReady;
  }

  /** Links that ended with nothing to commit, and are not told yet. */
  get ended(): readonly EndedLink[] {
    return this.#ended;
  }

  /** Links found so far. */
  get found(): number {
    return this.#found;
  }

  /** The size that worked; links are begun with it. */
  get size(): number | null {
    return this.#size;
  }

  /** Links that are not at their end. */
  get unfinished(): number {
    return sizeOf(this.#waiting) + this.#open.size + this.#notReady.length;
  }

  /** Takes links that are due, those with the fewest pages first, until the slice brings them back. */
  takeDue(at: number, most: number): OpenLinkProgress[] {
    const due = this.reading
      .filter(({ progress, inSlice }) => !inSlice && progress.notBefore <= at)
      .sort((a, b) => a.progress.pages - b.progress.pages)
      .slice(0, most);
    for (const link of due) link.inSlice = true;
    return due.map(({ link, progress }) => ({ link, progress }));
  }

  /** Takes links that no slice has begun. */
  takeWaiting(most: number): WaitingLinks[] {
    const taken: WaitingLinks[] = [];
    let room = most;
    while (room > 0) {
      const first = this.#waiting.shift();
      if (first === undefined) break;
      const to = Math.min(first.to, first.from + room);
      if (to < first.to) this.#waiting.unshift({ ...first, from: to });
      taken.push({ ...first, to });
      room -= to - first.from;
    }
    return taken;
  }

  /** Begins some of those again that were not ready; false where there are none. */
  tryAgain(most: number): boolean {
    const links = this.#notReady.splice(0, most);
    for (const link of links) {
      const fresh = freshProgress(null, this.#size, this.options.full);
      const progress = { ...fresh, attempt: SECOND_TRY_ATTEMPTS };
      this.#open.set(placeKey(link), newLink(link, { cursor: null, known: false }, progress));
    }
    return links.length > 0;
  }

  /** Takes what a slice says of its links. Returns whether the key was refused. */
  applySlice(
    work: Pick<SliceWork, "links" | "waiting">,
    slice: number,
    result: {
      readonly report: ReportRef | null;
      readonly links: readonly LinkResult[];
      readonly size?: number | null | undefined;
      readonly notBegun: number;
      readonly at: number;
    },
  ): boolean {
    const { report, links, at } = result;
    const told = new Set(links.map(({ link }) => placeKey(link)));
    const given = new Set(work.links.map(({ link }) => placeKey(link)));
    // What it was given and does not name has ended, and is in its report.
    for (const key of given) if (!told.has(key)) this.#open.delete(key);
    this.#giveBack(work.waiting, result.notBegun);
    const begun = sizeOf(work.waiting) - result.notBegun;
    const { quiet = 0, finished, waiting = 0 } = report ?? {};
    this.#found += quiet + (finished?.links ?? 0) + waiting + links.length - given.size - begun;
    if (result.size !== undefined) this.#size = result.size;
    if (report !== null && waiting > 0) {
      this.#waiting.push({ report: report.place, from: 0, to: waiting });
    }
    let refused = false;
    for (const one of links) {
      const key = placeKey(one.link);
      const known = this.#open.get(key);
      // A load that found a page lost meanwhile has begun the link anew, or ended it.
      if (given.has(key) && known?.progress.attempt !== one.progress.attempt) {
        if (known !== undefined) known.inSlice = false;
        continue;
      }
      const link = known ?? this.#begin(one);
      link.inSlice = false;
      if (known === undefined || known.progress.pages === 0) link.begun.push(slice);
      else link.continued = [link.continued?.[0] ?? slice, slice];
      if (one.failure !== undefined) link.failure = one.failure;
      refused = this.#apply(link, one.progress, one.outcome, at) || refused;
    }
    return refused;
  }

  /** Takes what became of a load: names of manifests, and links whose pages did not stand up. */
  applyLoad(
    loaded: readonly OpenLinkProgress[],
    manifest: string,
    refused: readonly LinkResult[],
    at: number,
  ): void {
    const outcomes = new Map(refused.map((one) => [placeKey(one.link), one]));
    for (const { link: place, progress } of loaded) {
      const key = placeKey(place);
      const link = this.#open.get(key);
      const outcome = outcomes.get(key)?.outcome;
      outcomes.delete(key);
      if (link === undefined) continue;
      link.loading -= 1;
      if (link.progress.attempt !== progress.attempt) continue;
      if (outcome === undefined) link.manifests.push(manifest);
      else this.#apply(link, link.progress, outcome, at);
    }
    // Links of reports, which are held one by one from now on.
    for (const one of outcomes.values()) this.#apply(this.#begin(one), one.progress, one.outcome, at);
  }

  /** Links that are complete and not committed. */
  get complete(): OpenLink[] {
    return this.open.filter(({ complete }) => complete);
  }

  /** Takes complete links whose rows are all loaded. */
  takeLoaded(): OpenLink[] {
    const loaded = this.open.filter(
      ({ complete, loading, progress }) => complete && loading === 0 && progress.staged.length === 0,
    );
    for (const { link } of loaded) this.#open.delete(placeKey(link));
    return loaded;
  }

  /** Takes links that ended with nothing to commit. */
  takeEnded(): EndedLink[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Epoch milliseconds at which the next link that was begun is due; undefined where none is being read. */
  nextDue(): number | undefined {
    const times = this.reading.flatMap(({ inSlice, progress }) => (inSlice ? [] : progress.notBefore));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Puts back what a slice did not begin: the last ones that it was given. */
  #giveBack(given: readonly WaitingLinks[], count: number): void {
    const back: WaitingLinks[] = [];
    let left = count;
    for (const range of [...given].reverse()) {
      if (left === 0) break;
      const from = Math.max(range.from, range.to - left);
      back.unshift({ ...range, from });
      left -= range.to - from;
    }
    this.#waiting.unshift(...back);
  }

  #begin({ link: place, base, progress }: LinkResult): OpenLink {
    const link = newLink(place, base, progress);
    this.#open.set(placeKey(place), link);
    return link;
  }

  /** Returns whether the key was refused. */
  #apply(link: OpenLink, progress: LinkProgress, outcome: LinkOutcome, at: number): boolean {
    const { pageSize, jitter } = this.options;
    const verdict = afterOutcome(progress, link.base, outcome, pageSize, at, jitter());
    if (verdict.progress.attempt !== link.progress.attempt) link.manifests = [];
    link.progress = verdict.progress;
    link.complete = verdict.kind === "publish";
    const key = placeKey(link.link);
    if (verdict.kind === "drop") this.#open.delete(key);
    if (verdict.kind === "end") {
      this.#open.delete(key);
      const { status, reason } = verdict;
      if (status === "not_ready" && !link.again) this.#notReady.push(link.link);
      else {
        const { pages, pagesSha256, restarts } = verdict.progress;
        this.#ended.push({ link: link.link, progress: { pages, pagesSha256, restarts }, status, reason });
      }
    }
    return verdict.kind === "drop";
  }
}
