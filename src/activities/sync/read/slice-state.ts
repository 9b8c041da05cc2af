import { moreUnauthorized, type Unauthorized } from "../../../domain/failures.js";
import {
  type EndedLink,
  freshProgress,
  type Link,
  type LinkRecord,
  type Recorded,
} from "../../../domain/sync/link.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { journalFolder, type Place, sliceOf } from "../../../domain/sync/place.js";
import type { OpenUser, ReadSliceInput, ReportRef } from "../../../domain/sync/run/slice-work.js";
import type { Failure } from "../../../domain/sync/sync-totals.js";
import {
  afterUserOutcome,
  streamOf,
  type UserOutcome,
  type UserProgress,
} from "../../../domain/sync/user-reading.js";
import { MOST_WAITING, type NamedFailure } from "../../../domain/waiting.js";
import {
  addCleaned,
  type CleanedPage,
  Journal,
  journalKey,
  nameKey,
  type PageName,
  readRecord,
  type StagedRecord,
} from "../../../lake/sync/journal/journal.js";
import type { ObservedPage, SliceReport } from "../../../lake/sync/journal/report.js";
import { type ObservedListing, observedListings } from "../../../streams/observed-listings.js";
import type { Slice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import type { BegunUser, GivenWork } from "./slice-input.js";

/** Each costs space in its run's history. */
const MOST_LEFT = 400;

/** Without a place where this slice found it. */
export interface LinkToRead extends Recorded, Pick<Link, "progress"> {
  readonly link?: Place;
}

interface PlacedRecord extends StagedRecord {
  readonly place: Place;
}

/** What one slice reads next, and what it has read. */
export class SliceState {
  readonly users: OpenUser[] = [];
  readonly failed: Failure[] = [];
  readonly links: Link[] = [];
  unauthorized: Unauthorized = false;
  readonly startedAt = new Date().toISOString();
  usersRead = 0;
  usersForgotten = 0;
  newFields: readonly string[] = [];
  /** Of the latest pages. */
  size: number | null | undefined;
  /** For links that this slice begins, users and the report. */
  readonly journal: Journal;
  /** For links that earlier slices began: one may take hours. */
  readonly longJournal: Journal;
  readonly observed: readonly ObservedListing[];
  readonly #report = {
    observed: [] as ObservedPage[],
    ended: [] as EndedLink[],
    finished: [] as Link[],
    waiting: [] as Place[],
  };
  /** Other journals with what can't be read again: bad rows, and pages of users that a lost attempt staged. */
  readonly #others = new Set<string>();
  readonly #queue: LinkRecord[] = [];
  readonly #seen = new Set<string>();
  /** No list says yet that they can be read. */
  readonly #skipped = new Map<string, EndedLink>();
  #named = 0;

  constructor(
    readonly slice: Slice<SyncDependencies>,
    readonly input: ReadSliceInput,
    readonly given: GivenWork,
  ) {
    this.observed = observedListings(slice.deps.streams, input.streams, input.only);
    this.journal = new Journal(this.#store, input.runId, journalFolder(input.slice, "begun"));
    this.longJournal = new Journal(this.#store, input.runId, journalFolder(input.slice, "continued"));
  }

  get #store() {
    return this.slice.deps.lake.store;
  }

  /** The first fresh user who is not begun. */
  get reached(): number {
    return (this.input.fresh?.to ?? 0) - this.given.fresh.length;
  }

  get notBegun(): number {
    return this.given.waiting.length;
  }

  /** Links of earlier slices come first. */
  nextLink(): LinkToRead | undefined {
    const begun = this.given.links.shift();
    // Even when time is up: its reader gives it back.
    if (begun !== undefined || !this.#mayBegin) return begun;
    const waiting = this.given.waiting.shift();
    const record = waiting?.record ?? this.#queue.shift();
    if (record === undefined) return undefined;
    const { base } = record;
    // An earlier run has begun to read it in full.
    const full = this.input.full && base?.resync?.full !== true;
    return { ...waiting, record, progress: freshProgress(base?.cursor ?? null, this.input.size, full) };
  }

  nextUser(): BegunUser | undefined {
    return this.given.users.shift() ?? (this.#mayBegin ? this.given.fresh.shift() : undefined);
  }

  /** Pages of lost attempts need no time, and no later slice finds them. */
  get #mayBegin(): boolean {
    const hasWork = this.slice.hasTime() || this.given.lost.size > 0;
    return hasWork && this.users.length + this.failed.length + this.links.length < MOST_LEFT;
  }

  /** A page that a lost attempt of this slice staged. */
  async staged(name: PageName): Promise<PlacedRecord | undefined> {
    const { lost } = this.given;
    const key = nameKey(name);
    const place = lost.get(key);
    lost.delete(key);
    const record = place && (await readRecord(this.#store, this.input.runId, place));
    if (place === undefined || record === undefined) return undefined;
    this.slice.countFound();
    this.#others.add(place.journal);
    return { ...record, place };
  }

  /** If a page had to be `cleaned`, stages first what SQL reads in its place. */
  async stage(
    journal: Journal,
    page: PageName,
    body: Buffer,
    { sha256, cleaned: parts }: { readonly sha256?: string; readonly cleaned?: CleanedPage | undefined },
  ): Promise<Pick<ObservedPage, "place" | "cleaned">> {
    const cleaned = parts && { cleaned: await addCleaned(journal, parts) };
    if (parts !== undefined) this.#others.add(journal.name);
    const place = await journal.add({ kind: "page", page, ...cleaned }, body, sha256);
    this.slice.countBytes(body.length);
    return { place, ...cleaned };
  }

  /**
   * Adds a user's pages to the report, and queues the links. A link that moves to another user may stay in the first one's
   * list, as deleted: the list that says it can be read wins.
   */
  addLists(
    observed: readonly ObservedPage[],
    links: readonly LinkRecord[],
    skipped: readonly EndedLink[],
  ): void {
    this.#report.observed.push(...observed);
    for (const record of links) {
      this.#skipped.delete(record.link_id);
      if (this.#seen.has(record.link_id)) continue;
      this.#seen.add(record.link_id);
      this.#queue.push(record);
    }
    for (const link of skipped) {
      const { link_id } = link.record;
      if (!this.#seen.has(link_id) && !this.#skipped.has(link_id)) this.#skipped.set(link_id, link);
    }
  }

  endUser(fpId: string): void {
    this.usersRead += 1;
    this.note({ fp_id: fpId }, { kind: "complete" }, null);
  }

  leaveUser(fp_id: string, progress: UserProgress, outcome: UserOutcome): void {
    const verdict = afterUserOutcome(progress, outcome, Date.now(), Math.random());
    const failure = this.note({ fp_id }, verdict.kind === "failed" ? verdict : outcome, progress.streak);
    if (verdict.kind === "again") this.users.push({ progress: verdict.progress, failure });
    if (verdict.kind !== "failed") return;
    const { reason } = verdict;
    this.failed.push({ stream: streamOf(reason), owner: fp_id, reason });
  }

  /** Puts a link that this slice has read from its first page to its end into the report, and leaves any other to the run. */
  async leaveLink({ link, record, progress: before }: LinkToRead, next: Omit<Link, "link">): Promise<void> {
    const { stage, progress } = next;
    const isWhole = before.pages === 0 && before.restarts === 0;
    if (isWhole && typeof stage === "object") {
      const { pages, pagesSha256, restarts } = progress;
      this.#report.ended.push({ record, stage, progress: { pages, pagesSha256, restarts } });
      return;
    }
    const left = { link: link ?? (await this.journal.addValue("link", record)), ...next };
    (isWhole && stage === "read" ? this.#report.finished : this.links).push(left);
  }

  /** Logs an outcome. Names what is retried; only the first, because no history holds ids in bulk. */
  note(
    ids: { readonly link_id: string } | { readonly fp_id: string },
    outcome: LinkOutcome | UserOutcome,
    streak: UserProgress["streak"],
  ): NamedFailure | undefined {
    this.slice.deps.warnings.logOutcome(this.input.runId, ids, outcome, streak);
    if (outcome.kind === "unauthorized")
      this.unauthorized = moreUnauthorized(this.unauthorized, outcome.mayNot ?? true);
    if (outcome.kind !== "transient" || this.#named === MOST_WAITING) return undefined;
    this.#named += 1;
    const name = "link_id" in ids ? { link: ids.link_id } : { owner: ids.fp_id };
    return { name, reason: outcome.reason };
  }

  /** Writes the report, and makes durable what it names. */
  async report(): Promise<ReportRef | null> {
    const { observed, ended, finished, waiting } = this.#report;
    for (const record of this.#queue) waiting.push(await this.journal.addValue("link", record));
    ended.push(...this.#skipped.values());
    const isEmpty = [observed, ended, finished, waiting].every(({ length }) => length === 0);
    const place = isEmpty ? null : await this.journal.addValue("report", this.#report);
    // Pages of links can be read again: each is checked against its hash.
    await this.journal.persist();
    this.#others.delete(this.journal.name);
    await this.#store.persist([...this.#others].map((journal) => journalKey(this.input.runId, journal)));
    if (place === null) return null;
    const sum = (of: "pages" | "entries" | "bytes") =>
      finished.reduce((total, { progress }) => total + progress[of], 0);
    return {
      place,
      slices: slicesOf(this.#report),
      ended: ended.length,
      finished: { links: finished.length, pages: sum("pages"), entries: sum("entries"), bytes: sum("bytes") },
      waiting: waiting.length,
      observedBytes: observed.reduce((total, page) => total + page.place.bytes, 0),
    };
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled([this.journal.close(), this.longJournal.close()]);
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  }
}

/** Slices whose journals a report needs besides its own. */
function slicesOf({ observed, finished }: SliceReport): number[] {
  const places = [...observed.map(({ place }) => place), ...finished.map(({ link }) => link)];
  return [...new Set(places.map(sliceOf))];
}
