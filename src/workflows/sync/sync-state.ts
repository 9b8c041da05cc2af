import type { CommitInput } from "../../activities/sync/commit/commit.js";
import type { LoadResult } from "../../activities/sync/load/load.js";
import type {
  OpenLinkProgress,
  ReadSliceResult,
  ReportRef,
  SliceWork,
} from "../../activities/sync/read/slice-work.js";
import { handedToLoading, type LinkProgress } from "../../domain/sync/link-progress.js";
import { placeKey } from "../../domain/sync/place.js";
import {
  addTotals,
  type Failure,
  noTotals,
  type SyncTotals,
  withFailure,
} from "../../domain/sync/sync-totals.js";
import { type WaitingState, waitingState } from "../../domain/waiting.js";
import {
  FIRST_LOAD_PAGES,
  LINKS_AT_ONCE,
  LINKS_PER_SLICE,
  LOAD_EVERY_PAGES,
  USERS_AT_ONCE,
} from "../policies.js";
import { type CarriedJournals, Journals } from "./journals.js";
import { type CarriedLinks, Links } from "./links.js";
import { type CarriedPublication, Publication } from "./publication.js";
import { sizeOf } from "./ranges.js";
import { type CarriedUsers, Users } from "./users.js";

/** All that a run carries through continue-as-new of what it reads. */
export interface CarriedSync extends CarriedJournals {
  readonly users: CarriedUsers;
  readonly links: CarriedLinks;
  readonly publication: CarriedPublication;
  /** Number of the next slice. */
  readonly slice: number;
  readonly unauthorized: boolean;
  readonly totals: SyncTotals;
}

interface SyncStateOptions {
  /** Users of the roster. */
  readonly users: number;
  readonly full: boolean;
  readonly pageSize: number;
  readonly jitter: () => number;
  /** Epoch milliseconds at which the state is made. */
  readonly now: number;
}

/** What a slice was given, under its number. */
export interface NumberedWork extends SliceWork {
  readonly slice: number;
}

/** What is to be loaded next. */
export interface ToLoad {
  readonly reports: readonly ReportRef[];
  readonly links: readonly (OpenLinkProgress & { readonly complete: boolean })[];
}

/** Links that begin together come to their first load in turn: loading begins early, and never for all at once. */
function pagesOfNextLoad(at: number, { loaded }: LinkProgress): number {
  return loaded.pages > 0
    ? LOAD_EVERY_PAGES
    : FIRST_LOAD_PAGES + (at % (LOAD_EVERY_PAGES - FIRST_LOAD_PAGES));
}

/** Where a run stands: what to read, load and commit next. No Temporal in here. */
export class SyncState {
  /** Epoch milliseconds until which the service wants no calls; null where it takes them. */
  throttledUntil: number | null = null;
  readonly #users: Users;
  readonly #links: Links;
  readonly #publication: Publication;
  readonly #journals: Journals;
  #slice: number;
  #unauthorized: boolean;
  #totals: SyncTotals;

  constructor(
    private readonly options: SyncStateOptions,
    carried?: CarriedSync,
  ) {
    this.#users = new Users(options.users, carried?.users);
    this.#links = new Links(options, carried?.links);
    this.#publication = new Publication(options.now, carried?.publication);
    this.#slice = carried?.slice ?? 0;
    this.#journals = new Journals(carried);
    this.#unauthorized = carried?.unauthorized ?? false;
    this.#totals = carried?.totals ?? noTotals();
  }

  carry(): CarriedSync {
    return {
      users: this.#users.carry(),
      links: this.#links.carry(),
      publication: this.#publication.carry(),
      slice: this.#slice,
      ...this.#journals.carry(),
      unauthorized: this.#unauthorized,
      totals: this.#totals,
    };
  }

  get totals(): SyncTotals {
    const { ended } = this.#users;
    return { ...this.#totals, users: { ...this.#totals.users, total: ended } };
  }

  get unauthorized(): boolean {
    return this.#unauthorized;
  }

  /** The size of pages that links are begun with. */
  get size(): number | null {
    return this.#links.size;
  }

  get committedRows(): number {
    const { created, updated, removed } = this.#totals.rows;
    return created + updated + removed;
  }

  /** How far the run is, and what it waits for. */
  get figures(): WaitingState & {
    readonly usersDone: number;
    readonly linksFound: number;
    readonly linksDone: number;
    readonly rowsRead: number;
  } {
    const open = this.#links.open;
    const entries = open.reduce((sum, { progress }) => sum + progress.entries, this.#publication.entries);
    const unfinished = [
      ...this.#links.reading.map(({ progress, failure }) => ({ ...progress, failure })),
      ...this.#users.again.map(({ progress, failure }) => ({ ...progress, failure })),
    ];
    return {
      usersDone: this.#users.ended,
      linksFound: this.#links.found,
      linksDone: this.#links.found - this.#links.unfinished,
      rowsRead: this.committedRows + entries,
      ...waitingState(unfinished, this.throttledUntil),
    };
  }

  count(totals: SyncTotals): void {
    this.#totals = addTotals(this.#totals, totals);
  }

  /** What the run could not do at all, for its summary. */
  fail(failure: Failure): void {
    this.#totals = withFailure(this.#totals, failure);
  }

  /**
   * Takes what the next slice is to read; undefined where nothing is due.
   *
   * @param share part of a slice's size that this one may have
   */
  takeSlice(at: number, share: number): NumberedWork | undefined {
    if (this.#unauthorized) return undefined;
    const links = this.#links.takeDue(at, Math.ceil(LINKS_PER_SLICE * share));
    const most = Math.ceil(USERS_AT_ONCE * share);
    const waiting = this.#beginsLinks ? this.#links.takeWaiting(most) : [];
    const taken = links.length + sizeOf(waiting);
    const none = { users: [], fresh: null };
    const { users, fresh } = this.#beginsLinks ? this.#users.take(at, Math.max(0, most - taken)) : none;
    if (taken + users.length === 0 && fresh === null) return undefined;
    const slice = this.#slice;
    this.#slice += 1;
    const work = { slice, links, waiting, users, fresh };
    this.#journals.beginSlice(slice, work);
    return work;
  }

  /** While many links were begun and are not at their end, no more are. */
  get #beginsLinks(): boolean {
    return this.#links.reading.length < LINKS_AT_ONCE;
  }

  applySlice(work: NumberedWork, result: ReadSliceResult): void {
    const { slice } = work;
    this.#journals.endSlice(slice, work);
    const { failed, refused } = this.#users.apply(work, result, this.options.jitter);
    const linkRefused = this.#links.applySlice(work, slice, result);
    this.#publication.add(result.report, result.usersRead, failed);
    for (const failure of failed) {
      this.count({ ...noTotals(), users: { total: 0, failed: 1 }, failures: [failure], failures_total: 1 });
    }
    this.count({ ...noTotals(), calls: result.calls });
    this.throttledUntil = result.gateUntil;
    this.#unauthorized ||= refused || linkRefused;
  }

  /** Whether so much is finished that it is worth a commit. */
  isCommitDue(now: number): boolean {
    return this.#publication.isDue(now, this.#links.complete, this.#links.ended.length);
  }

  /**
   * Takes what is to be loaded now: links that are finished, where they are many or everything is to be loaded, and
   * enough pages of those still read.
   */
  takeToLoad(all: boolean): ToLoad | undefined {
    const complete = this.#links.complete.filter(({ progress }) => progress.staged.length > 0);
    const withFinished = all || this.#publication.isWorthLoading(complete);
    const reports = withFinished ? this.#publication.takeToLoad() : [];
    const links: ToLoad["links"][number][] = [];
    for (const link of this.#links.open) {
      const { progress, complete, inSlice } = link;
      if (inSlice || progress.staged.length === 0) continue;
      const isTime = progress.staged.length >= pagesOfNextLoad(link.link.at, progress);
      if (complete ? !withFinished : !isTime) continue;
      links.push({ link: link.link, progress, complete: complete && progress.loaded.pages === 0 });
      link.progress = handedToLoading(progress);
      link.loading += 1;
    }
    if (reports.length + links.length === 0) return undefined;
    this.#journals.beginLoad(links);
    return { reports, links };
  }

  applyLoad({ reports, links }: ToLoad, { manifest, refused }: LoadResult, at: number): void {
    this.#journals.endLoad(links);
    this.#links.applyLoad(links, manifest, refused, at);
    this.#publication.applyLoad(
      reports,
      manifest,
      refused.map(({ link }) => placeKey(link)),
    );
  }

  /** Takes what is to be committed now; undefined where there is nothing. */
  takeToCommit(now: number): Omit<CommitInput, "runId" | "streams" | "full"> | undefined {
    return this.#publication.takeToCommit(this.#links.takeLoaded(), this.#links.takeEnded(), now);
  }

  /** Counts what was committed. */
  applyCommit(totals: SyncTotals): void {
    this.#publication.committed();
    this.count(totals);
  }

  /** Takes the folders of journals that nothing needs any more. */
  takeToDrop(): string[] {
    const { waiting, notReady, ended, open } = this.#links;
    const places = [
      ...waiting.map(({ report }) => report),
      ...notReady,
      ...ended.map(({ link }) => link),
      ...this.#users.again.flatMap(({ progress }) => progress.staged),
    ];
    return this.#journals.takeUnneeded({ slices: this.#publication.slices, places, open });
  }

  /** Begins the links again that were not ready; false where there are none. */
  tryAgain(): boolean {
    return !this.#unauthorized && this.#links.tryAgain(LINKS_AT_ONCE);
  }

  /** Epoch milliseconds at which something is due; undefined when nothing is left to read. */
  nextDue(): number | undefined {
    if (this.#unauthorized) return undefined;
    const begun = this.#links.nextDue();
    if (!this.#beginsLinks) return begun;
    if (this.#links.waiting.length > 0) return 0;
    const times = [this.#users.nextDue(), begun].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Links of which nothing was committed when the run had to give up. */
  get unfinished(): number {
    return this.#links.unfinished + this.#publication.uncommitted;
  }
}
