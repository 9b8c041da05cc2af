import { callsOf } from "../../counts.js";
import { moreUnauthorized, type Unauthorized } from "../../failures.js";
import { addRemovals, NO_REMOVALS, type Removals } from "../../tables/removals.js";
import { type CallGate, type WaitingState, waitingState } from "../../waiting.js";
import { placeKey } from "../place.js";
import {
  addTotals,
  type Failure,
  joinNewFields,
  noTotals,
  READING,
  type SyncTotals,
  withFailure,
} from "../sync-totals.js";
import { type CarriedJournals, Journals } from "./journals.js";
import { LINKS_AT_ONCE, LINKS_PER_SLICE, pagesOfNextLoad, USERS_AT_ONCE } from "./limits.js";
import {
  type CarriedLinks,
  type LinkOptions,
  Links,
  type LinkToLoad,
  type ReadSoFar,
  readSoFar,
} from "./links.js";
import { type CarriedPublication, type CommitWork, type LoadResult, Publication } from "./publication.js";
import {
  type NumberedWork,
  type ReadSliceResult,
  type ReportRef,
  type SliceWork,
  sizeOf,
} from "./slice-work.js";
import { type CarriedUsers, Users } from "./users.js";

export interface CarriedSync extends CarriedJournals {
  readonly users: CarriedUsers;
  readonly links: CarriedLinks;
  readonly publication: CarriedPublication;
  readonly slice: number;
  readonly unauthorized: Unauthorized;
  readonly totals: SyncTotals;
  /** What commits knew of each stream without a cursor, and removed. */
  readonly removed: Readonly<Record<string, Removals>>;
}

interface SyncStateOptions extends LinkOptions {
  readonly users: number;
  /** Epoch milliseconds at which the state is made. */
  readonly now: number;
}

export interface SyncFigures extends WaitingState, ReadSoFar {
  /** Users who were read to their end, or failed. */
  readonly usersDone: number;
  readonly linksFound: number;
  /** Links that were read to their end, or ended otherwise. */
  readonly linksDone: number;
  /** Entries read, committed or not. */
  readonly rowsRead: number;
}

export interface ToLoad {
  readonly reports: readonly ReportRef[];
  readonly links: readonly LinkToLoad[];
}

/** The state of a run: decides what to read, load and commit next. */
export class SyncState {
  #gate: CallGate = { foundNoPlace: false, gateUntil: null };
  readonly #users: Users;
  readonly #links: Links;
  readonly #publication: Publication;
  readonly #journals: Journals;
  #run: Pick<CarriedSync, "slice" | "unauthorized" | "totals" | "removed">;

  constructor(
    private readonly options: SyncStateOptions,
    carried?: CarriedSync,
  ) {
    this.#users = new Users(options.users, carried?.users);
    this.#links = new Links(options, carried?.links);
    this.#publication = new Publication(options.now, carried?.publication);
    this.#journals = new Journals(carried && { begun: carried.begun, continued: carried.continued });
    const begun = { slice: 0, unauthorized: false, totals: noTotals(), removed: {} };
    const { slice, unauthorized, totals, removed } = carried ?? begun;
    this.#run = { slice, unauthorized, totals, removed };
  }

  carry(): CarriedSync {
    return {
      users: this.#users.carry(),
      links: this.#links.carry(),
      publication: this.#publication.carry(),
      ...this.#journals.carry(),
      ...this.#run,
    };
  }

  get totals(): SyncTotals {
    const { totals } = this.#run;
    return { ...totals, users: { ...totals.users, total: this.#users.ended } };
  }

  get unauthorized(): Unauthorized {
    return this.#run.unauthorized;
  }

  /** Page size that links begin with. */
  get size(): number | null {
    return this.#links.state.size;
  }

  get committedRows(): number {
    const { created, updated, removed } = this.totals.rows;
    return created + updated + removed;
  }

  /** Epoch milliseconds until which a pause of the service holds some of its calls; null where there is none. */
  get pausedUntil(): number | null {
    return this.#gate.pausedUntil ?? null;
  }

  get figures(): SyncFigures {
    const { state, unfinished, open, reading, complete } = this.#links;
    const entries = open.reduce((sum, { progress }) => sum + progress.entries, this.#publication.entries);
    const { pages } = this.#publication;
    const done = {
      links: state.found - unfinished + complete.length,
      pages: complete.reduce((sum, { progress }) => sum + progress.pages, this.totals.pages + pages),
    };
    const waiting = [...reading, ...this.#users.again].map(({ progress, failure }) => {
      return { ...progress, failure };
    });
    return {
      usersDone: this.#users.ended,
      linksFound: state.found,
      linksDone: done.links,
      rowsRead: this.committedRows + entries,
      ...readSoFar(done, reading),
      ...waitingState(waiting, this.#gate),
    };
  }

  /** Whether no link is left to begin, and no user but those who wait for another try. */
  get hasBegunAll(): boolean {
    return this.#links.state.waiting.length === 0 && !this.#users.hasFresh;
  }

  /** Links of which nothing is committed yet. */
  get unfinished(): number {
    return this.#links.unfinished + this.#publication.uncommitted;
  }

  /** Counts the links that are not committed as failed: the run can't read or commit any more. */
  giveUp(reason: string): void {
    const none = noTotals();
    this.#count({ ...none, links: { ...none.links, failed: this.unfinished } });
    this.#fail({ stream: "transactions", owner: READING, reason });
  }

  #count(totals: SyncTotals): void {
    this.#run = { ...this.#run, totals: addTotals(this.#run.totals, totals) };
  }

  #fail(failure: Failure): void {
    this.#run = { ...this.#run, totals: withFailure(this.#run.totals, failure) };
  }

  /** Takes what the next slice reads, at most that share of a full one; undefined where nothing is due. */
  takeSlice(at: number, share: number): NumberedWork | undefined {
    if (this.unauthorized) return undefined;
    const links = this.#links.takeDue(at, Math.ceil(LINKS_PER_SLICE * share));
    const begun = this.#takeToBegin(at, Math.ceil(USERS_AT_ONCE * share), links.length);
    const taken = [links, begun.waiting, begun.users, begun.fresh === null ? [] : [begun.fresh]];
    if (taken.every(({ length }) => length === 0)) return undefined;
    const { slice } = this.#run;
    const work = { slice, links, ...begun };
    this.#run = { ...this.#run, slice: slice + 1 };
    this.#journals.beginSlice(slice, work);
    return work;
  }

  /** Takes what the next slice begins besides the links that it continues: waiting links, then users. */
  #takeToBegin(at: number, most: number, continued: number): Omit<SliceWork, "links"> {
    if (!this.#beginsLinks) return { waiting: [], users: [], fresh: null };
    const waiting = this.#links.takeWaiting(most);
    const left = most - continued - sizeOf(waiting);
    return { waiting, ...this.#users.take(at, Math.max(0, left)) };
  }

  /** While many links are open, no slice begins more. */
  get #beginsLinks(): boolean {
    return this.#links.reading.length < LINKS_AT_ONCE;
  }

  applySlice(work: NumberedWork, result: ReadSliceResult): void {
    const { slice } = work;
    const { usersForgotten } = result;
    this.#journals.endSlice(slice, work);
    const { failed, refused } = this.#users.apply(work, result, this.options.jitter);
    const linksRefused = this.#links.applySlice(work, slice, result);
    this.#publication.add(result.report, result.usersRead, failed);
    this.#count({
      ...noTotals(),
      users: { total: 0, failed: failed.length, ...(usersForgotten && { forgotten: usersForgotten }) },
      ...callsOf(result),
      new_fields: joinNewFields(result.newFields),
    });
    for (const failure of failed) this.#fail(failure);
    this.#gate = result;
    const unauthorized = moreUnauthorized(moreUnauthorized(this.unauthorized, refused), linksRefused);
    this.#run = { ...this.#run, unauthorized };
  }

  /** Makes everything due that waits for another try. */
  tryNow(): void {
    this.#users.tryNow();
    this.#links.tryNow();
  }

  isCommitDue(now: number): boolean {
    return this.#publication.isDue(now, this.#links.complete, this.#links.state.ended.length);
  }

  /** Takes what to load now: finished links where they are many, or `all`, and pages of others where they are many. */
  takeToLoad(all: boolean): ToLoad | undefined {
    const complete = this.#links.complete.filter(({ progress }) => progress.staged.length > 0);
    const withFinished = all || this.#publication.isWorthLoading(complete);
    const reports = withFinished ? this.#publication.takeToLoad() : [];
    const links = this.#links.takeToLoad(
      withFinished,
      ({ link, progress }) => progress.staged.length >= pagesOfNextLoad(link.at, progress.loaded.pages),
    );
    if (reports.length + links.length === 0) return undefined;
    this.#journals.beginLoad(links);
    return { reports, links };
  }

  applyLoad({ reports, links }: ToLoad, { manifest, refused }: LoadResult, at: number): void {
    this.#journals.endLoad(links);
    this.#links.applyLoad(links, manifest, refused, at);
    const keys = refused.map(({ link }) => placeKey(link));
    this.#publication.applyLoad(reports, manifest, keys);
  }

  /** Takes what to commit now; undefined where there is nothing. */
  takeToCommit(now: number): CommitWork | undefined {
    return this.#publication.takeToCommit(this.#links.takeLoaded(), this.#links.takeEnded(), now);
  }

  /** What commits knew of each stream without a cursor, and removed. */
  get removed(): CarriedSync["removed"] {
    return this.#run.removed;
  }

  applyCommit({ totals, removed }: Pick<CarriedSync, "totals" | "removed">): void {
    this.#publication.committed();
    this.#count(totals);
    const known = { ...this.removed };
    for (const [stream, more] of Object.entries(removed)) {
      known[stream] = addRemovals(known[stream] ?? NO_REMOVALS, more);
    }
    this.#run = { ...this.#run, removed: known };
  }

  /** Takes the folders of journals that nothing needs any more. */
  takeToDrop(): string[] {
    const { open, state } = this.#links;
    const { waiting, notReady, ended } = state;
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
    return !this.unauthorized && this.#links.tryAgain(LINKS_AT_ONCE);
  }

  /** Epoch milliseconds at which something is due; undefined when nothing is left to read. */
  nextDue(): number | undefined {
    if (this.unauthorized) return undefined;
    const open = this.#links.nextDue();
    if (!this.#beginsLinks) return open;
    if (this.#links.state.waiting.length > 0) return 0;
    const times = [this.#users.nextDue(), open].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
