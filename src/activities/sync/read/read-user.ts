import { ListPass } from "../../../api/lists/list-pass.js";
import { firstPage, listPage } from "../../../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../../../api/operations/operation.js";
import { linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { Place } from "../../../domain/sync/place.js";
import type { UserOutcome } from "../../../domain/sync/user-reading.js";
import { addCleaned, readRecord } from "../../../lake/sync/journal/journal.js";
import { nameKey, type PageName, type StagedRecord } from "../../../lake/sync/journal/record.js";
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
import { pageFailure } from "./page-failure.js";
import { warnOfOddities } from "./page-warnings.js";
import type { BegunUser, SliceState } from "./slice-state.js";
import { readsTransactions } from "./streams-of-run.js";

/** Rows asked for in one page: the most that the service's document allows. */
const PAGE_SIZE = 100;

/** Stages every list of one user and says which links were found. */
export async function readUser(state: SliceState, user: BegunUser): Promise<void> {
  const reading = await UserReading.open(state, user);
  const outcome = await reading.run();
  const { row, progress } = user;
  if (outcome.kind !== "complete") {
    const staged = reading.observed.map(({ place }) => place);
    state.leaveUser({ fpId: row.fp_id, progress: { ...progress, staged }, outcome });
    return;
  }
  const { found, skipped } = reading.links();
  state.readUser(row.fp_id, reading.observed, found, skipped);
}

/** A bank link as the service listed it. */
interface ListedLink {
  readonly id: string;
  /** Why it can't be read; null for a connected one. */
  readonly obstacle: string | null;
}

/** The reading of one user's lists. */
class UserReading {
  readonly observed: ObservedPage[] = [];
  #listed: readonly ListedLink[] = [];

  private constructor(
    private readonly state: SliceState,
    private readonly user: BegunUser,
    /** Pages that earlier slices staged, by name. */
    private readonly before: ReadonlyMap<string, StagedRecord & { readonly place: Place }>,
  ) {}

  static async open(state: SliceState, user: BegunUser): Promise<UserReading> {
    const { lake } = state.slice.deps;
    const before = new Map<string, StagedRecord & { place: Place }>();
    for (const place of user.progress.staged) {
      const record = await readRecord(lake.store, state.input.runId, place);
      if (record?.header.page !== undefined) before.set(nameKey(record.header.page), { ...record, place });
    }
    return new UserReading(state, user, before);
  }

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

  /** The user's links that this run reads, and those that can't be read. */
  links(): { found: FoundLink[]; skipped: QuietLink[] } {
    const { feed, input, startedAt } = this.state;
    if (!readsTransactions(input.streams)) return { found: [], skipped: [] };
    const found: FoundLink[] = [];
    const skipped: QuietLink[] = [];
    for (const { id, obstacle } of this.#asked()) {
      const base = baseOf(feed, id);
      const link = { link_id: id, fp_id: this.user.row.fp_id, base, started_at: startedAt };
      if (obstacle === null) found.push(link);
      else skipped.push({ ...link, status: "skipped", reason: obstacle, pages: 0, pages_sha256: null });
    }
    return { found, skipped };
  }

  #asked(): readonly ListedLink[] {
    const only = this.user.row.links ?? this.state.input.only;
    return this.#listed.filter(({ id }) => only === null || only.includes(id));
  }

  #readable(): readonly ListedLink[] {
    return this.#asked().filter(({ obstacle }) => obstacle === null);
  }

  /** Stages every page of one owner. */
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
        // A link that went since its user's links were listed has no rows.
        if (failure.kind === "gone" && linkId !== null) return "read";
        return userOutcome(failure, stream);
      }
    }
  }

  /** A page that is staged, or a new one from the service; undefined where time is up. */
  async #page(
    stream: Stream,
    linkId: string | null,
    page: number,
    number: number | undefined,
  ): Promise<PageReading | undefined> {
    const { row, progress } = this.user;
    const owner = linkId ?? row.fp_id;
    const attempt = stream.paging === "page" ? progress.attempt : 0;
    const name: PageName = { stream: stream.name, owner, attempt, page, after: "" };
    const observed = { stream: stream.name, fp_id: row.fp_id, link_id: linkId, page };
    const staged = await this.#staged(name);
    if (staged !== undefined) {
      const { place, header, body } = staged;
      this.observed.push({ ...observed, place, ...(header.cleaned && { cleaned: header.cleaned }) });
      return readPage(stream, body);
    }
    if (!this.state.slice.mayGoOn()) return undefined;
    const { body } = await this.#ask(stream, linkId, number);
    const reading = readPage(stream, body);
    warnOfOddities(this.state.slice.deps, this.state.input.runId, stream, reading);
    const { journal } = this.state;
    const cleaned = reading.needsCleaning ? await addCleaned(journal, cleanPage(stream, reading)) : undefined;
    const place = await journal.add({ kind: "page", page: name, ...(cleaned && { cleaned }) }, body);
    this.state.slice.countBytes(body.length);
    this.observed.push({ ...observed, place, ...(cleaned && { cleaned }) });
    return reading;
  }

  async #staged(name: PageName): Promise<(StagedRecord & { readonly place: Place }) | undefined> {
    const before = this.before.get(nameKey(name));
    if (before !== undefined) return before;
    const place = this.state.lost.find(name);
    if (place === undefined) return undefined;
    const { slice, input } = this.state;
    const record = await readRecord(slice.deps.lake.store, input.runId, place);
    if (record === undefined) return undefined;
    slice.countFound();
    return { ...record, place };
  }

  #ask(stream: Stream, linkId: string | null, page: number | undefined) {
    const path = linkId === null ? { fp_id: this.user.row.fp_id } : { link_id: linkId };
    const query = stream.paging === "page" ? { query: { page, size: PAGE_SIZE } } : {};
    return this.state.slice.call(stream.operation, { path, ...query } as ParamsOf<Operation>);
  }
}

/** The links of a list, without those that are in quarantine. */
function listedLinks({ envelope, problems }: PageReading): ListedLink[] {
  const bad = new Set(problems.map(({ index }) => index));
  const good = bankLinkStream.lists.flatMap((list) =>
    rowsAt(envelope, list).filter((_, index) => !bad.has(index)),
  ) as { readonly id: string; readonly state: string; readonly error_code?: string | null }[];
  return good.map(({ id, state, error_code }) => ({
    id,
    obstacle: linkObstacle(state, error_code ?? null)?.reason ?? null,
  }));
}

function userOutcome(failure: ReturnType<typeof pageFailure>, stream: Stream): UserOutcome {
  switch (failure.kind) {
    case "gone":
      return { kind: "failed", reason: `${stream.name}: user not found` };
    case "rejected":
      return { kind: "failed", reason: `${stream.name}: refused http_${failure.status}` };
    case "broken":
      return { kind: "failed", reason: `${stream.name}: ${failure.reason}` };
    case "transient":
      return { ...failure, stream: stream.name };
    default:
      return failure;
  }
}
