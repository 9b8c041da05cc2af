import { ListPass } from "../../../api/lists/list-pass.js";
import { firstPage, listPage } from "../../../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../../../api/operations/operation.js";
import { linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { RosterRow } from "../../../domain/sync/roster.js";
import type { UserOutcome, UserProgress } from "../../../domain/sync/user-reading.js";
import { readRecord } from "../../../lake/sync/journal/journal.js";
import { nameKey, type PageName } from "../../../lake/sync/journal/record.js";
import {
  baseOf,
  type FoundLink,
  type ObservedPage,
  type QuietLink,
} from "../../../lake/sync/journal/report.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { type PageReading, readPage, rowsAt } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import { type PageFailure, pageFailure } from "./page-failure.js";
import { warnOfOddities } from "./page-warnings.js";
import type { BegunUser } from "./slice-input.js";
import type { PlacedRecord, SliceState } from "./slice-state.js";
import { readsTransactions } from "./streams-of-run.js";

/** Rows to request in one page: the maximum that the service's document allows. */
const PAGE_SIZE = 100;

/** Stages every list of one user and queues the links that it finds. */
export async function readUser(state: SliceState, { row, progress }: BegunUser): Promise<void> {
  const reading = new UserReading(state, row, progress, await earlierPages(state, progress));
  const outcome = await reading.run();
  if (outcome.kind === "complete") {
    const { found, skipped } = reading.links();
    state.endUser(row.fp_id, reading.observed, found, skipped);
  } else {
    const staged = reading.observed.map(({ place }) => place);
    state.users.push({ fpId: row.fp_id, progress: { ...progress, staged }, outcome });
  }
}

async function earlierPages(
  { slice, input }: SliceState,
  { staged }: UserProgress,
): Promise<ReadonlyMap<string, PlacedRecord>> {
  const pages = new Map<string, PlacedRecord>();
  for (const place of staged) {
    const record = await readRecord(slice.deps.lake.store, input.runId, place);
    if (record?.header.page !== undefined) pages.set(nameKey(record.header.page), { ...record, place });
  }
  return pages;
}

interface ListedLink {
  readonly id: string;
  /** Why it can't be read; null for a connected one. */
  readonly obstacle: string | null;
}

class UserReading {
  readonly observed: ObservedPage[] = [];
  #listed: readonly ListedLink[] = [];

  constructor(
    private readonly state: SliceState,
    private readonly row: RosterRow,
    private readonly progress: UserProgress,
    private readonly earlier: ReadonlyMap<string, PlacedRecord>,
  ) {}

  async run(): Promise<UserOutcome> {
    for (const stream of this.state.observed) {
      const links = stream.per === "user" ? [null] : this.#readable().map(({ id }) => id);
      for (const linkId of links) {
        const outcome = await this.#readOwner(stream, linkId);
        if (outcome !== "read") return outcome;
      }
    }
    return { kind: "complete" };
  }

  /** The user's links that this run reads, and those that it can't read. */
  links(): { found: FoundLink[]; skipped: QuietLink[] } {
    const { given, input, startedAt } = this.state;
    if (!readsTransactions(input.streams)) return { found: [], skipped: [] };
    const found: FoundLink[] = [];
    const skipped: QuietLink[] = [];
    for (const { id, obstacle } of this.#asked()) {
      const base = baseOf(given.feed, id);
      const link = { link_id: id, fp_id: this.row.fp_id, base, started_at: startedAt };
      if (obstacle === null) found.push(link);
      else skipped.push({ ...link, status: "skipped", reason: obstacle, pages: 0, pages_sha256: null });
    }
    return { found, skipped };
  }

  #asked(): readonly ListedLink[] {
    const only = this.row.links ?? this.state.input.only;
    return this.#listed.filter(({ id }) => only === null || only.includes(id));
  }

  #readable(): readonly ListedLink[] {
    return this.#asked().filter(({ obstacle }) => obstacle === null);
  }

  async #readOwner(stream: Stream, linkId: string | null): Promise<UserOutcome | "read"> {
    const pass = new ListPass();
    let next = stream.paging === "page" ? firstPage(stream.operation) : undefined;
    for (let page = 0; ; page += 1) {
      try {
        const reading = await this.#page(stream, linkId, page, next);
        if (reading === undefined) return { kind: "open" };
        if (stream === bankLinkStream) this.#listed = listedLinks(reading);
        if (stream.paging === "none") return "read";
        const envelope = reading.envelope as Readonly<Record<string, unknown>>;
        const after = pass.take(listPage(stream.operation, envelope, next, pass.before));
        if (after === "moved") return { kind: "moved", stream: stream.name };
        if (after === "end") return "read";
        next = after;
      } catch (error) {
        const failure = pageFailure(error);
        // A link that was removed since its user's links were listed has no rows.
        if (failure.kind === "gone" && linkId !== null) return "read";
        return userOutcome(failure, stream);
      }
    }
  }

  /** Returns a staged page, or a new one from the service; undefined where time is up. */
  async #page(
    stream: Stream,
    linkId: string | null,
    page: number,
    number: number | undefined,
  ): Promise<PageReading | undefined> {
    const { state } = this;
    const { fp_id } = this.row;
    const attempt = stream.paging === "page" ? this.progress.attempt : 0;
    const name: PageName = { stream: stream.name, owner: linkId ?? fp_id, attempt, page, after: "" };
    const observed = { stream: stream.name, fp_id, link_id: linkId, page };
    const staged = this.earlier.get(nameKey(name)) ?? (await state.staged(name));
    if (staged !== undefined) {
      const { place, header, body } = staged;
      this.observed.push({ ...observed, place, ...(header.cleaned && { cleaned: header.cleaned }) });
      return readPage(stream, body);
    }
    if (!state.slice.hasTime()) return undefined;
    const { body } = await this.#request(stream, linkId, number);
    const reading = readPage(stream, body);
    warnOfOddities(state.slice.deps, state.input.runId, stream, reading);
    const cleaned = reading.needsCleaning ? cleanPage(stream, reading) : undefined;
    this.observed.push({ ...observed, ...(await state.stage(state.journal, name, body, { cleaned })) });
    return reading;
  }

  #request(stream: Stream, linkId: string | null, page: number | undefined) {
    const path = linkId === null ? { fp_id: this.row.fp_id } : { link_id: linkId };
    const query = stream.paging === "page" ? { query: { page, size: PAGE_SIZE } } : {};
    return this.state.slice.call(stream.operation, { path, ...query } as ParamsOf<Operation>);
  }
}

function listedLinks({ envelope, problems }: PageReading): ListedLink[] {
  const bad = new Set(problems.map(({ index }) => index));
  const good = bankLinkStream.lists.flatMap((list) =>
    rowsAt(envelope, list).filter((_, index) => !bad.has(index)),
  ) as { readonly id: string; readonly state: string; readonly error_code?: string | null }[];
  return good.map(({ id, state, error_code }) => ({
    id,
    obstacle: linkObstacle(state, error_code ?? null),
  }));
}

function userOutcome(failure: PageFailure, { name: stream }: Stream): UserOutcome {
  switch (failure.kind) {
    case "gone":
      return { kind: "failed", reason: `${stream}: user not found` };
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
