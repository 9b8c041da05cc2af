import type { AdmitLinksResult, AdmittedLink } from "../../activities/sync/commit/admit-links.js";
import type { CompleteLink } from "../../activities/sync/commit/candidate.js";
import type { EndedLink } from "../../activities/sync/commit/commit.js";
import type { ExtractedLink } from "../../activities/sync/read/extract.js";
import { freshProgress, handedToLoading, type LinkProgress } from "../../domain/sync/link-progress.js";
import { afterOutcome, type LinkOutcome, type LinkVerdict } from "../../domain/sync/link-reading.js";
import { noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import { FIRST_LOAD_PAGES, LOAD_EVERY_PAGES } from "../policies.js";

/** A link that a group is reading. */
interface OpenLink {
  readonly base: AdmittedLink;
  progress: LinkProgress;
  /** Staged names of the manifests that hold its rows so far. */
  manifests: string[];
  complete: boolean;
  /** Loads of its pages that are on their way. */
  loading: number;
  /** Whether a slice has it: its progress is not here but there. */
  inSlice: boolean;
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

/** What is to be loaded next. */
export interface ToLoad {
  readonly progress: LinkProgress;
  readonly complete: boolean;
}

export interface GroupOptions {
  readonly full: boolean;
  /** Links that are not ready now are so for good: the run has tried them before. */
  readonly secondTry: boolean;
  readonly random: () => number;
}

/** Attempts of a second try are named apart from those of the first. */
const SECOND_TRY_ATTEMPTS = 1_000;

/** Links that begin together come to their first load in turn: loading begins early, and never for all at once. */
function pagesOfNextLoad({ link, loaded }: LinkProgress): number {
  return loaded.pages > 0
    ? LOAD_EVERY_PAGES
    : FIRST_LOAD_PAGES + (link % (LOAD_EVERY_PAGES - FIRST_LOAD_PAGES));
}

/** The links of one group on their courses: what to read, load and commit next. No Temporal in here. */
export class GroupState {
  readonly plan: string;
  readonly links: number;
  readonly #waiting: number[];
  readonly #open: Map<number, OpenLink>;
  #ended: EndedLink[];
  readonly #notReady: number[];
  #size: number | null;
  chunk: number;
  unauthorized: boolean;
  totals: SyncTotals;

  constructor(
    carried: CarriedGroup,
    private readonly options: GroupOptions,
  ) {
    this.plan = carried.plan;
    this.links = carried.links;
    this.#waiting = [...carried.waiting];
    this.#open = new Map(carried.open.map((link) => [link.base.link, { ...link }]));
    this.#ended = [...carried.ended];
    this.#notReady = [...carried.notReady];
    this.#size = carried.size;
    this.chunk = carried.chunk;
    this.unauthorized = carried.unauthorized;
    this.totals = carried.totals;
  }

  /** A group whose plan was just made. */
  static begin(plan: string, waiting: readonly number[], size: number | null): CarriedGroup {
    return {
      plan,
      waiting,
      links: waiting.length,
      open: [],
      ended: [],
      notReady: [],
      size,
      chunk: 0,
      unauthorized: false,
      totals: noTotals(),
    };
  }

  carry(): CarriedGroup {
    return {
      plan: this.plan,
      links: this.links,
      waiting: this.#waiting,
      open: [...this.#open.values()],
      ended: this.#ended,
      notReady: this.#notReady,
      size: this.#size,
      chunk: this.chunk,
      unauthorized: this.unauthorized,
      totals: this.totals,
    };
  }

  /** The size that worked; the run's later groups begin with it. */
  get size(): number | null {
    return this.#size;
  }

  get notReady(): readonly number[] {
    return this.#notReady;
  }

  get linksDone(): number {
    return this.links - this.#waiting.length - this.#open.size;
  }

  get entriesOpen(): number {
    return [...this.#open.values()].reduce((sum, { progress }) => sum + progress.entries, 0);
  }

  /** Takes links to be admitted, so that at most `most` are being read. */
  takeToAdmit(most: number): number[] {
    return this.#waiting.splice(0, Math.max(0, most - this.#reading().length));
  }

  admit({ open, skipped }: AdmitLinksResult): void {
    for (const base of open) {
      const fresh = freshProgress(base.link, base.cursor, this.#size, this.options.full);
      const progress = { ...fresh, attempt: this.options.secondTry ? SECOND_TRY_ATTEMPTS : 0 };
      this.#open.set(base.link, {
        base,
        progress,
        manifests: [],
        complete: false,
        loading: 0,
        inSlice: false,
      });
    }
    for (const { link, reason } of skipped) {
      this.#ended.push({ progress: freshProgress(link, null, null, false), status: "skipped", reason });
    }
  }

  /** Takes the links that the next slice advances, those with the fewest pages first, until it brings them back. */
  takeDue(at: number, most: number): LinkProgress[] {
    const due = this.#reading()
      .filter(({ progress, inSlice }) => !inSlice && progress.notBefore <= at)
      .sort((a, b) => a.progress.pages - b.progress.pages)
      .slice(0, most);
    for (const link of due) link.inSlice = true;
    return due.map(({ progress }) => progress);
  }

  /** Epoch milliseconds at which the next link is due; undefined when none is being read. */
  nextDue(): number | undefined {
    const times = this.#reading().map(({ progress }) => progress.notBefore);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Whether anything is still to be read. */
  get reading(): boolean {
    return !this.unauthorized && (this.#waiting.length > 0 || this.#reading().length > 0);
  }

  applySlice(results: readonly ExtractedLink[], askedSize: number, at: number): void {
    for (const { progress, outcome } of results) {
      const link = this.#open.get(progress.link);
      if (link !== undefined) link.inSlice = false;
      // A load that found a torn page meanwhile has begun the link anew.
      if (link === undefined || link.progress.attempt !== progress.attempt) continue;
      if (progress.pages > 0) this.#size = progress.size;
      this.#apply(link, progress, outcome, askedSize, at);
    }
  }

  /** Takes what is to be loaded now: the rest of complete links, and enough pages of those still read. */
  takeToLoad(): ToLoad[] {
    const taken: ToLoad[] = [];
    for (const link of this.#open.values()) {
      const { progress, complete, inSlice } = link;
      if (inSlice || progress.pageEntries.length === 0) continue;
      if (!complete && progress.pageEntries.length < pagesOfNextLoad(progress)) continue;
      taken.push({ progress, complete: complete && progress.loaded.pages === 0 });
      link.progress = handedToLoading(progress);
      link.loading += 1;
    }
    return taken;
  }

  applyLoad(
    loaded: readonly ToLoad[],
    manifest: string,
    refused: readonly { link: number; outcome: LinkOutcome }[],
    askedSize: number,
    at: number,
  ): void {
    const outcomes = new Map(refused.map(({ link, outcome }) => [link, outcome]));
    for (const { progress } of loaded) {
      const link = this.#open.get(progress.link);
      if (link === undefined) continue;
      link.loading -= 1;
      if (link.progress.attempt !== progress.attempt) continue;
      const outcome = outcomes.get(progress.link);
      if (outcome === undefined) link.manifests.push(manifest);
      else this.#apply(link, link.progress, outcome, askedSize, at);
    }
  }

  /** Rows of links that wait for a commit. */
  get rowsToCommit(): number {
    return this.#loaded().reduce((sum, { progress }) => sum + progress.entries, 0);
  }

  /** Takes what is to be committed now; undefined where there is nothing. */
  takeToCommit(): { complete: CompleteLink[]; ended: EndedLink[] } | undefined {
    const loaded = this.#loaded();
    const ended = this.#ended;
    if (loaded.length === 0 && ended.length === 0) return undefined;
    this.#ended = [];
    for (const { base } of loaded) this.#open.delete(base.link);
    return { complete: loaded.map(({ progress, manifests }) => ({ progress, manifests })), ended };
  }

  /** Links of which nothing was committed when the group had to give up. */
  unfinished(): number {
    return this.#waiting.length + this.#open.size + this.#ended.length;
  }

  #reading(): OpenLink[] {
    return [...this.#open.values()].filter(({ complete }) => !complete);
  }

  #loaded(): OpenLink[] {
    return [...this.#open.values()].filter(
      ({ complete, loading, progress }) => complete && loading === 0 && progress.pageEntries.length === 0,
    );
  }

  #apply(link: OpenLink, progress: LinkProgress, outcome: LinkOutcome, askedSize: number, at: number): void {
    const verdict: LinkVerdict = afterOutcome(
      progress,
      link.base,
      outcome,
      askedSize,
      at,
      this.options.random(),
    );
    if (verdict.progress.attempt !== link.progress.attempt) link.manifests = [];
    link.progress = verdict.progress;
    link.complete = verdict.kind === "publish";
    if (verdict.kind === "end") {
      this.#open.delete(link.base.link);
      const { status, reason } = verdict;
      if (status === "not_ready" && !this.options.secondTry) this.#notReady.push(link.base.link);
      else this.#ended.push({ progress: verdict.progress, status, reason });
    } else if (verdict.kind === "drop") {
      this.unauthorized = true;
      this.#open.delete(link.base.link);
    }
  }
}
