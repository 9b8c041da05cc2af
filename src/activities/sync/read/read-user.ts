import { mustBeAbout } from "../../../api/http/answer.js";
import { firstPage, listPage, type ReadPage } from "../../../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../../../api/operations/operation.js";
import type { RosterRow } from "../../../domain/sync/job.js";
import type { EndedLink, LinkRecord } from "../../../domain/sync/link.js";
import { DEFAULT_LOOKBACK, windowStart } from "../../../domain/sync/run/reading-window.js";
import {
  afterUserOutcome,
  ID_TWICE,
  type UserOutcome,
  type UserProgress,
} from "../../../domain/sync/user-reading.js";
import { knownUntil } from "../../../lake/history/whole-lists.js";
import { isForgotten } from "../../../lake/sync/forget/forgotten.js";
import { type PageName, stagedRecord } from "../../../lake/sync/journal/journal.js";
import { baseOf, type ObservedPage } from "../../../lake/sync/journal/report.js";
import { accountStream } from "../../../streams/accounts.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { cleanPage } from "../../../streams/clean-page.js";
import type { ObservedListing } from "../../../streams/observed-listings.js";
import { type PageReading, readPage } from "../../../streams/page-reading.js";
import { mayRepeat } from "../../../streams/raw-json.js";
import { type LinkList, linkList, mustBeOfLinks, newestDay, readsTransactions } from "./list-page.js";
import { type PageFailure, pageFailure, tellOddities } from "./page-outcome.js";
import { type PagedList, PagedLists } from "./paged-lists.js";
import type { BegunUser } from "./slice-input.js";
import type { SliceState } from "./slice-state.js";

/** The maximum that the service's document allows. */
const PAGE_SIZE = 100;

/** A list that comes in one answer. */
const WHOLE_LIST: ReadPage<unknown> = { items: [], ids: [], next: "end" };

const NOTHING_READ = { pages: 0, pagesSha256: "", restarts: 0 };

/** Stages a user's lists and queues the links. */
export async function readUser(state: SliceState, { row, progress }: BegunUser): Promise<void> {
  if (isForgotten(state.given.feed, row.fp_id)) {
    state.usersForgotten += 1;
    return state.endUser(row.fp_id);
  }
  const { store } = state.slice.deps.lake;
  const lists = await PagedLists.of(store, state.input.runId, progress);
  const reading = new UserReading(state, row, progress, lists);
  const outcome = await reading.run();
  if (outcome.kind === "complete" || reading.hasFailedLists) {
    const { records, skipped } = reading.links();
    state.addLists(reading.observed, records, skipped);
  }
  if (outcome.kind === "complete") state.endUser(row.fp_id);
  else state.leaveUser(row.fp_id, { ...progress, staged: await lists.record(state.journal) }, outcome);
}

interface OwnedList {
  readonly listing: ObservedListing;
  /** Of a list of the user. */
  readonly linkId: string | null;
  /** The earliest day to request; null for all; undefined where the list can only be read whole. */
  readonly from: string | null | undefined;
  /** Of a link in error. */
  readonly mayBeRefused: boolean;
}

interface StagedPage {
  readonly reading: PageReading;
  readonly observed: ObservedPage;
}

class UserReading {
  /** Of the lists that are read to their end. */
  readonly observed: ObservedPage[] = [];
  /** Undefined where the run does not read the user's links. */
  #listed: LinkList | undefined;
  #hasFailedLists = false;

  constructor(
    private readonly state: SliceState,
    private readonly row: RosterRow,
    private readonly progress: UserProgress,
    private readonly lists: PagedLists,
  ) {}

  /** Whether the user failed only for lists on which no other depends. */
  get hasFailedLists(): boolean {
    return this.#hasFailedLists;
  }

  async run(): Promise<UserOutcome> {
    let failure: UserOutcome | undefined;
    for (const listing of this.state.observed) {
      for (const link of listing.per === "user" ? [null] : this.#readable()) {
        const linkId = link?.id ?? null;
        const from = this.#windowOf(listing, linkId);
        const mayBeRefused = link !== null && link.obstacle !== null;
        const outcome = await this.#readList({ listing, linkId, from, mayBeRefused });
        if (outcome === "read") continue;
        const ended = this.#ended(outcome);
        const isAlone = listing.name !== bankLinkStream.name && this.#listed !== undefined;
        // A list that takes all the time of every slice must not keep its user open forever.
        if (!isAlone || (ended.kind !== "failed" && ended.kind !== "transient"))
          return outcome.kind === "open" && failure?.kind === "transient" ? failure : outcome;
        failure = failure?.kind === "transient" ? failure : ended;
      }
    }
    this.#hasFailedLists = failure?.kind === "failed";
    return failure ?? { kind: "complete" };
  }

  /** A failure where it is the last one. */
  #ended(outcome: UserOutcome): UserOutcome {
    const verdict = afterUserOutcome(this.progress, outcome, Date.now(), 0);
    return verdict.kind === "failed" ? verdict : outcome;
  }

  links(): { readonly records: LinkRecord[]; readonly skipped: EndedLink[] } {
    const { given, input, startedAt } = this.state;
    const records: LinkRecord[] = [];
    const skipped: EndedLink[] = [];
    if (!readsTransactions(input.streams)) return { records, skipped };
    for (const { id, obstacle, isRead } of this.#selected()) {
      const base = baseOf(given.feed, id);
      const { fp_id, external_id = base?.external_id ?? null } = this.row;
      const record = { link_id: id, fp_id, external_id, base, started_at: startedAt };
      if (isRead) records.push({ ...record, ...(obstacle !== null && { obstacle }) });
      else skipped.push({ record, stage: { status: "skipped", reason: obstacle }, progress: NOTHING_READ });
    }
    return { records, skipped };
  }

  #selected(): LinkList["links"] {
    const only = this.row.links ?? this.state.input.only;
    return (this.#listed?.links ?? []).filter(({ id }) => only === null || only.includes(id));
  }

  #readable(): LinkList["links"] {
    return this.#selected().filter(({ isRead }) => isRead);
  }

  /** All of a list at first, then from some days before its known day. */
  #windowOf({ streams, windowed }: ObservedListing, linkId: string | null): OwnedList["from"] {
    const { given, input } = this.state;
    if (windowed === undefined) return undefined;
    if (input.full) return null;
    const known = streams.map(({ name }) => {
      const history = given.windowed.get(name);
      return history === undefined ? null : knownUntil(history, { fpId: this.row.fp_id, linkId });
    });
    const today = new Date().toISOString().slice(0, 10);
    return windowStart(known, input.lookback ?? DEFAULT_LOOKBACK, today);
  }

  async #readList(list: OwnedList): Promise<UserOutcome | "read"> {
    const { listing, linkId, mayBeRefused } = list;
    try {
      return await this.#readPages(list);
    } catch (error) {
      const failure = pageFailure(error);
      // A link that was removed since has no rows, and one in error may be refused; part of its list says nothing of the rest.
      const isWithheld = failure.kind === "rejected" && mayBeRefused;
      if (linkId !== null && (failure.kind === "gone" || isWithheld)) return "read";
      return userOutcome(failure, listing, this.#listed !== undefined);
    }
  }

  async #readPages(owned: OwnedList): Promise<UserOutcome | "read"> {
    const { listing, linkId, from } = owned;
    const { operation, name: stream } = listing;
    const key = JSON.stringify([stream, linkId ?? this.row.fp_id, from]);
    const isPaged = listing.paging === "page";
    const list = this.lists.list(key, isPaged ? firstPage(operation) : undefined);
    let reading: PageReading | undefined;
    while (list.next !== "end") {
      const page = await this.#page(owned, list.pages.length, list.next);
      if (page === undefined) return { kind: "open" };
      ({ reading } = page);
      const envelope = reading.envelope as Readonly<Record<string, unknown>>;
      const read = isPaged ? listPage(operation, envelope, list.next, list.before) : WHOLE_LIST;
      // No list that moves brings an id twice on one page.
      if (new Set(read.ids).size < read.ids.length)
        return { kind: "failed", reason: `${stream}: ${ID_TWICE}` };
      const stands = list.pages.length === 0 || (await this.#stillHolds(owned, list));
      const taken = stands ? list.takePages(read, [page.observed]) : "moved";
      if (taken === "taken") continue;
      this.lists.drop(list);
      return { kind: "moved", stream, ...(taken === "twice" && { reason: ID_TWICE }) };
    }
    if (stream === bankLinkStream.name)
      this.#listed = linkList(reading ?? (await this.#staged(listing, list)));
    // It then stays unknown and is read whole again: one call, as for a window.
    const isShort = from === null && list.pages.length === 1;
    for (const { newest, ...page } of list.pages)
      this.observed.push(isShort || newest === undefined ? page : { ...page, newest });
    return "read";
  }

  /** Of a list of one page that an earlier slice has read. */
  async #staged(listing: ObservedListing, { pages: [page] }: PagedList): Promise<PageReading> {
    const { slice, input } = this.state;
    const record = await stagedRecord(slice.deps.lake.store, input.runId, (page as ObservedPage).place);
    return readPage(listing, record.body);
  }

  /**
   * Whether the newest page still holds none but rows that came, now that the next one was read: a row that moved to that
   * page from this one came in neither.
   */
  async #stillHolds(owned: OwnedList, list: PagedList): Promise<boolean> {
    const { operation } = owned.listing;
    const number = (firstPage(operation) ?? 0) + list.pages.length - 1;
    const { envelope } = readPage(owned.listing, (await this.#request(owned, number)).body);
    return list.has(listPage(operation, envelope as Readonly<Record<string, unknown>>, number, 0).ids);
  }

  /** Undefined where time is up. */
  async #page(owned: OwnedList, page: number, number: number | undefined): Promise<StagedPage | undefined> {
    const { listing, linkId, from } = owned;
    const { state } = this;
    const { fp_id, external_id } = this.row;
    const { attempt } = this.progress;
    // Another window has other pages.
    const name: PageName = { stream: listing.name, owner: linkId ?? fp_id, attempt, page, after: from ?? "" };
    const observe = (reading: PageReading, staged: Pick<ObservedPage, "place" | "cleaned">) => {
      const window = from === undefined ? {} : { from, ...newestDay(listing, reading) };
      tellOddities(state, listing, reading);
      const owner = { fp_id, ...(external_id && { external_id }), link_id: linkId };
      const observed = { stream: listing.name, ...owner, page, ...window, ...staged };
      return { reading, observed };
    };
    const staged = await state.staged(name);
    if (staged !== undefined) {
      const { place, header, body } = staged;
      return observe(readPage(listing, body), { place, ...(header.cleaned && { cleaned: header.cleaned }) });
    }
    if (!state.slice.hasTime()) return undefined;
    const { body } = await this.#request(owned, number);
    const reading = readPage(listing, body);
    mustBeAbout(listing.operation, { path: { fp_id, link_id: linkId } }, reading.envelope);
    if (listing.name === accountStream.name && linkId === null)
      mustBeOfLinks(listing, reading, fp_id, { ids: this.#listed?.ids, feed: state.given.feed });
    // SQL refuses an envelope with a repeated key, and all that is committed with it.
    const isDoubtful = mayRepeat(reading.text, new Set(listing.lists.flatMap(({ path }) => path)));
    const cleaned = reading.needsCleaning || isDoubtful ? cleanPage(listing, reading) : undefined;
    return observe(reading, await state.stage(state.journal, name, body, { cleaned }));
  }

  #request({ listing, linkId, from, mayBeRefused }: OwnedList, page: number | undefined) {
    const path = linkId === null ? { fp_id: this.row.fp_id } : { link_id: linkId };
    const window = typeof from === "string" ? { start_date: from } : {};
    const query = listing.paging === "page" ? { query: { page, size: PAGE_SIZE, ...window } } : {};
    const params = { path, ...query } as ParamsOf<Operation>;
    return this.state.slice.call(listing.operation, params, { mayBeRefused });
  }
}

function userOutcome(failure: PageFailure, { name: stream }: ObservedListing, isThere: boolean): UserOutcome {
  switch (failure.kind) {
    case "gone":
      return { kind: "failed", reason: `${stream}: ${isThere ? "refused http_404" : "user not found"}` };
    case "rejected":
      return { kind: "failed", reason: `${stream}: refused http_${failure.status}` };
    case "broken":
      return { kind: "failed", reason: `${stream}: ${failure.reason}` };
    case "transient":
      return { ...failure, stream };
    default:
      return failure;
  }
}
