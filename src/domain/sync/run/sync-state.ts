import { addTotals, callsOf, joinNewFields } from "../../counts.js";
import { moreUnauthorized, type Unauthorized } from "../../failures.js";
import { addRemovals, NO_REMOVALS, type Removals } from "../../tables/removals.js";
import { type CallGate, type WaitingState, waitingState } from "../../waiting.js";
import type { Link } from "../link.js";
import { placeKey } from "../place.js";
import { type Failure, noTotals, READING, type SyncTotals, withFailure } from "../sync-totals.js";
import { Journals, type JournalsState } from "./journals.js";
import { LINKS_AT_ONCE, LINKS_PER_SLICE, pagesOfNextLoad, USERS_AT_ONCE } from "./limits.js";
import { Links, type LinksState, type ReadSoFar, readSoFar } from "./links.js";
import { type CommitWork, type LoadResult, Publication, type PublicationState } from "./publication.js";
import { type ReadSliceResult, type ReportRef, type SliceWork, sizeOf } from "./slice-work.js";
import { Users, type UsersState } from "./users.js";

/** A run's state, as continue-as-new carries it: one plain object, of which each part changes its own. */
export interface CarriedSync {
  readonly users: UsersState;
  readonly links: LinksState;
  readonly publication: PublicationState;
  readonly journals: JournalsState;
  slice: number;
  unauthorized: Unauthorized;
  totals: SyncTotals;
  /** By commits, of each stream without a cursor. */
  removed: Readonly<Record<string, Removals>>;
}

interface SyncStateOptions {
  readonly users: number;
  readonly full: boolean;
  readonly pageSize: number;
  /** A link is read for no longer. */
  readonly mostMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface SyncFigures extends WaitingState, ReadSoFar {
  /** Read, or failed. */
  readonly usersDone: number;
  readonly linksFound: number;
  readonly linksDone: number;
  /** Committed or not. */
  readonly rowsRead: number;
}

export interface ToLoad {
  readonly reports: readonly ReportRef[];
  readonly links: readonly Link[];
}

function firstState(size: number): CarriedSync {
  return {
    users: { next: 0, back: [], again: [], ended: 0 },
    links: { open: {}, waiting: [], notReady: [], ended: [], total: 0, size },
    publication: { chunk: 0, reports: [], finished: [], loaded: [], failed: [], users: 0 },
    journals: { begun: [], continued: [] },
    ...{ slice: 0, unauthorized: false, totals: noTotals(), removed: {} },
  };
}

/** Decides what a run reads, loads and commits next. */
export class SyncState {
  #gate: CallGate = { foundNoPlace: false, gateUntil: null };
  readonly #users: Users;
  readonly #links: Links;
  readonly #publication: Publication;
  readonly #journals: Journals;

  constructor(
    options: SyncStateOptions,
    readonly carried = firstState(options.pageSize),
  ) {
    this.#users = new Users(options.users, carried.users);
    this.#links = new Links(options, carried.links);
    this.#publication = new Publication(options.now, carried.publication);
    this.#journals = new Journals(carried.journals);
  }

  get totals(): SyncTotals {
    const { totals, users } = this.carried;
    return { ...totals, users: { ...totals.users, total: users.ended } };
  }

  get unauthorized(): Unauthorized {
    return this.carried.unauthorized;
  }

  get size(): number | null {
    return this.carried.links.size;
  }

  get committedRows(): number {
    const { created, updated, removed } = this.carried.totals.rows;
    return created + updated + removed;
  }

  /** A pause of the service holds some of its calls. */
  get pausedUntil(): number | null {
    return this.#gate.pausedUntil ?? null;
  }

  get figures(): SyncFigures {
    const { unfinished, open, reading, read } = this.#links;
    const { totals, users, links } = this.carried;
    const entries = open.reduce((sum, { progress }) => sum + progress.entries, this.#publication.entries);
    const done = {
      links: links.total - unfinished + read.length,
      pages: read.reduce((sum, { progress }) => sum + progress.pages, totals.pages + this.#publication.pages),
    };
    const waiting = [...reading, ...users.again].map(({ progress, failure }) => ({ ...progress, failure }));
    return {
      usersDone: users.ended,
      linksFound: links.total,
      linksDone: done.links,
      rowsRead: this.committedRows + entries,
      ...readSoFar(done, reading),
      ...waitingState(waiting, this.#gate),
    };
  }

  /** But for users who wait for another try. */
  get hasBegunAll(): boolean {
    return this.carried.links.waiting.length === 0 && !this.#users.hasFresh;
  }

  /** Nothing of them is committed. */
  get unfinished(): number {
    return this.#links.unfinished + this.#publication.uncommitted;
  }

  /** Counts what is not committed as failed: the run can't read or commit any more. */
  giveUp(reason: string): void {
    const none = noTotals();
    this.#count({ ...none, links: { ...none.links, failed: this.unfinished } });
    this.#fail({ stream: "transactions", owner: READING, reason });
  }

  #count(totals: SyncTotals): void {
    this.carried.totals = addTotals(this.carried.totals, totals);
  }

  #fail(failure: Failure): void {
    this.carried.totals = withFailure(this.carried.totals, failure);
  }

  /** At most that share of a full slice; undefined where nothing is due. */
  takeSlice(at: number, share: number): SliceWork | undefined {
    if (this.unauthorized) return undefined;
    const links = this.#links.takeDue(at, Math.ceil(LINKS_PER_SLICE * share));
    const begun = this.#takeToBegin(at, Math.ceil(USERS_AT_ONCE * share), links.length);
    const taken = [links, begun.waiting, begun.users, begun.fresh === null ? [] : [begun.fresh]];
    if (taken.every(({ length }) => length === 0)) return undefined;
    const work = { slice: this.carried.slice, links, ...begun };
    this.carried.slice += 1;
    this.#journals.beginSlice(work);
    return work;
  }

  /** Waiting links come first, then users. */
  #takeToBegin(at: number, most: number, continued: number): Omit<SliceWork, "slice" | "links"> {
    if (!this.#beginsLinks) return { waiting: [], users: [], fresh: null };
    const waiting = this.#links.takeWaiting(most);
    const left = most - continued - sizeOf(waiting);
    return { waiting, ...this.#users.take(at, Math.max(0, left)) };
  }

  get #beginsLinks(): boolean {
    return this.#links.reading.length < LINKS_AT_ONCE;
  }

  applySlice(work: SliceWork, result: ReadSliceResult): void {
    const { failed, usersForgotten, unauthorized } = result;
    this.#journals.endSlice(work);
    this.#users.applySlice(work, result);
    this.#links.applySlice(work, result);
    this.#publication.add(result.report, result.usersRead, failed);
    this.#count({
      ...noTotals(),
      users: { total: 0, failed: failed.length, ...(usersForgotten && { forgotten: usersForgotten }) },
      ...callsOf(result),
      new_fields: joinNewFields(result.newFields),
    });
    for (const failure of failed) this.#fail(failure);
    this.#gate = result;
    this.carried.unauthorized = moreUnauthorized(this.unauthorized, unauthorized);
  }

  tryNow(): void {
    this.#users.tryNow();
    this.#links.tryNow();
  }

  isCommitDue(now: number): boolean {
    return this.#publication.isDue(now, this.#links.read, this.carried.links.ended.length);
  }

  /** Finished links where they are many, or `all`, and pages of others where they are many. */
  takeToLoad(all: boolean): ToLoad | undefined {
    const read = this.#links.read.filter(({ progress }) => progress.staged.length > 0);
    const withRead = all || this.#publication.isWorthLoading(read);
    const reports = withRead ? this.#publication.takeToLoad() : [];
    const links = this.#links.takeToLoad(
      withRead,
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

  takeToCommit(now: number): CommitWork | undefined {
    return this.#publication.takeToCommit(this.#links.takeLoaded(), this.#links.takeEnded(), now);
  }

  applyCommit({ totals, removed }: Pick<CarriedSync, "totals" | "removed">): void {
    this.#publication.committed();
    this.#count(totals);
    const known = { ...this.carried.removed };
    for (const [stream, more] of Object.entries(removed)) {
      known[stream] = addRemovals(known[stream] ?? NO_REMOVALS, more);
    }
    this.carried.removed = known;
  }

  /** Folders of journals. */
  takeToDrop(): string[] {
    const { links, users } = this.carried;
    const places = [
      ...links.waiting.map(({ report }) => report),
      ...links.notReady,
      ...links.ended.map(({ link }) => link),
      ...users.again.flatMap(({ progress }) => progress.staged),
    ];
    return this.#journals.takeUnneeded(this.#publication.slices, places, this.#links.open);
  }

  tryAgain(): boolean {
    return !this.unauthorized && this.#links.tryAgain(LINKS_AT_ONCE);
  }

  /** Undefined when nothing is left to read. */
  nextDue(): number | undefined {
    if (this.unauthorized) return undefined;
    const { nextDue } = this.#links;
    const isWaiting = this.carried.links.waiting.length > 0;
    const due = !this.#beginsLinks ? nextDue : isWaiting ? 0 : Math.min(nextDue, this.#users.nextDue);
    return due === Number.POSITIVE_INFINITY ? undefined : due;
  }
}
