import type { AdmitLinksResult } from "../../activities/sync/commit/admit-links.js";
import type { CompleteLink } from "../../activities/sync/commit/candidate.js";
import type { EndedLink } from "../../activities/sync/commit/commit.js";
import type { ExtractedLink } from "../../activities/sync/read/extract.js";
import { freshProgress, handedToLoading, type LinkProgress } from "../../domain/sync/link-progress.js";
import { afterOutcome, type LinkOutcome, type LinkVerdict } from "../../domain/sync/link-reading.js";
import {
  addTotals,
  type Failure,
  noTotals,
  type SyncTotals,
  withFailure,
} from "../../domain/sync/sync-totals.js";
import { waitingState } from "../../domain/waiting.js";
import { FIRST_LOAD_PAGES, LOAD_EVERY_PAGES } from "../policies.js";
import type { CarriedGroup, OpenLink } from "./carried-group.js";
import type { GroupFigures } from "./messages.js";

/** What is to be loaded next. */
export interface ToLoad {
  readonly progress: LinkProgress;
  readonly complete: boolean;
}

/** What one commit takes. */
interface ToCommit {
  readonly complete: readonly CompleteLink[];
  readonly ended: readonly EndedLink[];
  /** Number of the commit within the group. */
  readonly chunk: number;
}

interface GroupOptions {
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
  /** Epoch milliseconds until which the service wants no calls; null where it takes them. */
  throttledUntil: number | null = null;
  /** All but the links being read, which are kept by their number. */
  #state: Omit<CarriedGroup, "open">;
  readonly #open: Map<number, OpenLink>;

  constructor(
    { open, ...state }: CarriedGroup,
    private readonly options: GroupOptions,
  ) {
    this.#state = state;
    this.#open = new Map(open.map((link) => [link.base.link, { ...link }]));
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
    return { ...this.#state, open: [...this.#open.values()] };
  }

  get plan(): string {
    return this.#state.plan;
  }

  get totals(): SyncTotals {
    return this.#state.totals;
  }

  get unauthorized(): boolean {
    return this.#state.unauthorized;
  }

  /** The size that worked; the run's later groups begin with it. */
  get size(): number | null {
    return this.#state.size;
  }

  get notReady(): readonly number[] {
    return this.#state.notReady;
  }

  count(totals: SyncTotals): void {
    this.#set({ totals: addTotals(this.#state.totals, totals) });
  }

  /** What the group could not do at all, for its run's summary. */
  fail(failure: Failure): void {
    this.#set({ totals: withFailure(this.#state.totals, failure) });
  }

  /** How far the group is, for its run. */
  get figures(): GroupFigures {
    const { created, updated, removed } = this.totals.rows;
    const open = [...this.#open.values()];
    const rowsCommitted = created + updated + removed;
    return {
      linksTotal: this.#state.links,
      linksDone: this.#state.links - this.#state.waiting.length - open.length,
      rowsRead: open.reduce((sum, { progress }) => sum + progress.entries, rowsCommitted),
      rowsCommitted,
      ...waitingState(
        this.#reading().map(({ progress, failure }) => ({ ...progress, failure })),
        this.throttledUntil,
      ),
    };
  }

  /** Takes links to be admitted, so that at most `most` are being read. */
  takeToAdmit(most: number): number[] {
    const { waiting } = this.#state;
    const room = Math.max(0, most - this.#reading().length);
    this.#set({ waiting: waiting.slice(room) });
    return waiting.slice(0, room);
  }

  admit({ open, skipped }: AdmitLinksResult): void {
    for (const base of open) {
      const fresh = freshProgress(base.link, base.cursor, this.size, this.options.full);
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
    const ended = skipped.map(({ link, reason }) => {
      return { progress: freshProgress(link, null, null, false), status: "skipped", reason } as const;
    });
    this.#set({ ended: [...this.#state.ended, ...ended] });
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
    return !this.unauthorized && (this.#state.waiting.length > 0 || this.#reading().length > 0);
  }

  applySlice(results: readonly ExtractedLink[], askedSize: number, at: number): void {
    for (const { progress, outcome, failure } of results) {
      const link = this.#open.get(progress.link);
      if (link !== undefined) link.inSlice = false;
      if (link !== undefined && failure !== undefined) link.failure = failure;
      // A load that found a torn page meanwhile has begun the link anew.
      if (link === undefined || link.progress.attempt !== progress.attempt) continue;
      if (progress.pages > 0) this.#set({ size: progress.size });
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

  /** Takes what is to be committed now, under a number of its own; undefined where there is nothing. */
  takeToCommit(): ToCommit | undefined {
    const loaded = this.#loaded();
    const { chunk, ended } = this.#state;
    if (loaded.length === 0 && ended.length === 0) return undefined;
    this.#set({ chunk: chunk + 1, ended: [] });
    for (const { base } of loaded) this.#open.delete(base.link);
    return { complete: loaded.map(({ progress, manifests }) => ({ progress, manifests })), ended, chunk };
  }

  /** Links of which nothing was committed when the group had to give up. */
  unfinished(): number {
    return this.#state.waiting.length + this.#open.size + this.#state.ended.length;
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
      if (status === "not_ready" && !this.options.secondTry) {
        this.#set({ notReady: [...this.notReady, link.base.link] });
      } else {
        this.#set({ ended: [...this.#state.ended, { progress: verdict.progress, status, reason }] });
      }
    } else if (verdict.kind === "drop") {
      this.#set({ unauthorized: true });
      this.#open.delete(link.base.link);
    }
  }

  #set(change: Partial<CarriedGroup>): void {
    this.#state = { ...this.#state, ...change };
  }
}
