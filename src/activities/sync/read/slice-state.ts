import { freshProgress, type LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { journalFolder, type Place, sliceOf } from "../../../domain/sync/place.js";
import type { RosterRow } from "../../../domain/sync/roster.js";
import { freshUser, type UserOutcome, type UserProgress } from "../../../domain/sync/user-reading.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import { StagingLostError } from "../../../lake/staging-lost-error.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { frozenUsers } from "../../../lake/sync/frozen-roster.js";
import { Journal, journalKey, readValue } from "../../../lake/sync/journal/journal.js";
import type { CleanedPlaces } from "../../../lake/sync/journal/record.js";
import { LostAttempts } from "../../../lake/sync/journal/recovery.js";
import {
  type FoundLink,
  type ObservedPage,
  type QuietLink,
  type SliceReport,
  withFound,
} from "../../../lake/sync/journal/report.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import type { Stream } from "../../../streams/stream.js";
import { isRepeated, type Slice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import type { ReadSliceInput, ReportRef } from "./slice-work.js";
import { observedStreams } from "./streams-of-run.js";

/** Users and links that a slice leaves open: then it ends, because each of them costs its run's history. */
const MOST_LEFT = 400;

/** A user whom a slice reads. */
export interface BegunUser {
  readonly row: RosterRow;
  readonly progress: UserProgress;
}

/** A link that a slice reads. */
export interface BegunLink {
  /** The place of its record; undefined where it has none yet. */
  readonly link?: Place;
  readonly found: FoundLink;
  readonly progress: LinkProgress;
}

/** A user as a slice leaves them. */
export interface LeftUser {
  readonly fpId: string;
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
}

/** A link as a slice leaves it. */
export interface LeftLink extends BegunLink {
  readonly link: Place;
  readonly outcome: LinkOutcome;
}

/** What a slice was given, as its records say it. */
interface GivenWork {
  readonly links: BegunLink[];
  readonly waiting: { readonly link: Place; readonly found: FoundLink }[];
  readonly users: BegunUser[];
  readonly fresh: readonly RosterRow[];
  /** Pages that lost attempts of the slice have staged. */
  readonly lost: LostAttempts;
  readonly feed: Snapshot;
}

/** Where the work of one slice stands: what is to be read, and what has become of it. */
export class SliceState {
  readonly users: LeftUser[] = [];
  readonly links: LeftLink[] = [];
  readonly startedAt = new Date().toISOString();
  usersRead = 0;
  /** Size of the pages that came last. */
  size: number | null | undefined;
  notBegun = 0;
  reached: number;
  /** Pages of links that this slice begins, and what its report names. */
  readonly journal: Journal;
  /** Pages of links that earlier slices began: kept apart, because such a link may take hours. */
  readonly longJournal: Journal;
  readonly #report = {
    observed: [] as ObservedPage[],
    quiet: [] as QuietLink[],
    finished: [] as SliceReport["finished"][number][],
    waiting: [] as Place[],
  };
  /** Journals with bad rows of links. */
  readonly #kept = new Set<string>();
  /** Links that were found and are not begun. */
  readonly #queue: FoundLink[] = [];
  readonly #seen = new Set<string>();

  readonly lost: LostAttempts;
  readonly feed: Snapshot;
  /** Streams without a cursor that the run reads. */
  readonly observed: readonly Stream[];

  constructor(
    readonly slice: Slice<SyncDependencies>,
    readonly input: ReadSliceInput,
    private readonly given: GivenWork,
  ) {
    this.lost = given.lost;
    this.feed = given.feed;
    this.observed = observedStreams(slice.deps.streams, input.streams);
    const { store } = slice.deps.lake;
    this.journal = new Journal(store, input.runId, journalFolder(input.slice, "begun"));
    this.longJournal = new Journal(store, input.runId, journalFolder(input.slice, "continued"));
    this.reached = input.fresh?.from ?? 0;
  }

  /** The next link to read, those begun before first; undefined where none is known now. */
  nextLink(): BegunLink | undefined {
    const begun = this.given.links.shift();
    // Time may be up: then it comes back as it was.
    if (begun !== undefined) return begun;
    if (!this.#mayBegin()) return undefined;
    const waiting = this.given.waiting.shift();
    if (waiting !== undefined) return { ...waiting, progress: this.#fresh(waiting.found) };
    const found = this.#queue.shift();
    return found && { found, progress: this.#fresh(found) };
  }

  /** The next user to read; undefined where none is left, or time is up. */
  nextUser(): BegunUser | undefined {
    const again = this.given.users.shift();
    if (again !== undefined) return again;
    if (!this.#mayBegin()) return undefined;
    const { from = 0, to = 0 } = this.input.fresh ?? {};
    if (this.reached === to) return undefined;
    const user = this.reached;
    const row = this.given.fresh[user - from];
    if (row === undefined) throw new StagingLostError(`user ${user} of the frozen roster`, "torn");
    this.reached += 1;
    return { row, progress: freshUser(user) };
  }

  #mayBegin(): boolean {
    return this.slice.mayGoOn() && this.users.length + this.links.length < MOST_LEFT;
  }

  #fresh({ base }: FoundLink): LinkProgress {
    return freshProgress(base?.cursor ?? null, this.input.size, this.input.full);
  }

  /** Takes a user who was read to the end, with what was found of them. */
  readUser(
    fpId: string,
    observed: readonly ObservedPage[],
    links: readonly FoundLink[],
    skipped: readonly QuietLink[],
  ): void {
    this.usersRead += 1;
    this.#report.observed.push(...observed);
    this.#tellComplete({ fp_id: fpId });
    const isNew = ({ link_id }: FoundLink) => !this.#seen.has(link_id) && this.#seen.add(link_id);
    this.#report.quiet.push(...skipped.filter(isNew));
    this.#queue.push(...links.filter(isNew));
  }

  leaveUser(user: LeftUser): void {
    this.users.push(user);
  }

  /** Takes a link that was read to its end and has nothing to load. */
  endQuietLink(quiet: QuietLink): void {
    this.#report.quiet.push(quiet);
    this.#tellComplete({ link_id: quiet.link_id });
  }

  /** Takes a link that was read to its end and has something to load. */
  finishLink({ link, found, progress }: BegunLink & { readonly link: Place }): void {
    this.#report.finished.push({ link, progress });
    this.#tellComplete({ link_id: found.link_id });
  }

  #tellComplete(ids: Readonly<Record<string, string>>): void {
    this.slice.deps.warnings.fares(this.input.runId, ids, { kind: "complete" }, null);
  }

  /** Takes a link that its run goes on with, or judges. */
  leaveLink(begun: BegunLink & { readonly link: Place }, outcome: LinkOutcome): void {
    this.links.push({ ...begun, outcome });
  }

  /** The place of a link's record, which is made where it is not there yet. */
  async placeOf({ link, found }: BegunLink): Promise<Place> {
    return link ?? this.journal.addValue("link", found);
  }

  /** Writes the report and makes what it names durable. */
  async report(): Promise<ReportRef | null> {
    this.notBegun = this.given.waiting.length;
    for (const found of this.#queue) this.#report.waiting.push(await this.journal.addValue("link", found));
    const { observed, quiet, finished, waiting } = this.#report;
    const isEmpty = [observed, quiet, finished, waiting].every(({ length }) => length === 0);
    const place = isEmpty ? null : await this.journal.addValue("report", this.#report);
    await this.#persist();
    if (place === null) return null;
    const sum = (of: (progress: LinkProgress) => number) =>
      finished.reduce((total, { progress }) => total + of(progress), 0);
    return {
      place,
      slices: slicesOf(this.#report),
      quiet: quiet.length,
      finished: {
        links: finished.length,
        pages: sum(({ pages }) => pages),
        entries: sum(({ entries }) => entries),
        bytes: sum(({ bytes }) => bytes),
      },
      waiting: waiting.length,
    };
  }

  /** Takes note that bad rows stand in a journal, perhaps in that of a lost attempt. */
  hasBadRows({ bad }: CleanedPlaces): void {
    this.#kept.add(bad.journal);
  }

  /**
   * Makes durable what can't be read again: reports, links, users' pages and bad rows. Pages of links need not be:
   * they are held against their hashes.
   */
  async #persist(): Promise<void> {
    const { slice, input } = this;
    await this.journal.persist();
    const journals = new Set([...this.#kept, ...this.#report.observed.map(({ place }) => place.journal)]);
    journals.delete(this.journal.name);
    if (journals.size === 0) return;
    await slice.deps.lake.store.persist([...journals].map((journal) => journalKey(input.runId, journal)));
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.longJournal.close();
  }
}

/** Slices whose journals a report needs besides its own: of users and links that an earlier slice came across. */
function slicesOf({ observed, finished }: SliceReport): number[] {
  const places = [...observed.map(({ place }) => place), ...finished.map(({ link }) => link)];
  return [...new Set(places.map(sliceOf))];
}

/** Reads what a slice is to work on. @throws StagingLostError */
export async function sliceInput(deps: SyncDependencies, input: ReadSliceInput): Promise<GivenWork> {
  const { lake } = deps;
  const { store } = lake;
  const { runId, fresh, groupSize } = input;
  const waiting: { link: Place }[] = [];
  for (const { report, from, to } of input.waiting) {
    const places = (await readValue<SliceReport>(store, runId, report)).waiting.slice(from, to);
    waiting.push(...places.map((link) => ({ link })));
  }
  const folders = [journalFolder(input.slice, "begun"), journalFolder(input.slice, "continued")];
  return {
    links: await withFound(store, runId, input.links),
    waiting: await withFound(store, runId, waiting),
    users: await begunUsers(store, input),
    fresh: await frozenUsers(store, runId, groupSize, fresh ?? { from: 0, to: 0 }),
    lost: isRepeated() ? await LostAttempts.of(store, runId, folders) : LostAttempts.NONE,
    feed: await lake.table(transactionChanges.name).snapshot(),
  };
}

/** Users who were asked for before; a file of the roster is read once for all of them. */
async function begunUsers(
  store: ObjectStore,
  { runId, groupSize, users }: ReadSliceInput,
): Promise<BegunUser[]> {
  const files = new Map<number, readonly RosterRow[]>();
  const begun: BegunUser[] = [];
  for (const progress of users) {
    const from = Math.floor(progress.user / groupSize) * groupSize;
    const rows =
      files.get(from) ?? (await frozenUsers(store, runId, groupSize, { from, to: from + groupSize }));
    files.set(from, rows);
    const row = rows[progress.user - from];
    if (row === undefined) throw new StagingLostError(`user ${progress.user} of the frozen roster`, "torn");
    begun.push({ row, progress });
  }
  return begun;
}
