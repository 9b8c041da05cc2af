import { hash } from "node:crypto";
import { syncTransactions } from "../../../api/operations/bank-data.js";
import { MOST_IDLE_PAGES } from "../../../domain/service/idle-pages.js";
import { hasLoneSurrogate } from "../../../domain/service/transaction-values.js";
import { type LinkProgress, movesMark } from "../../../domain/sync/link.js";
import { afterOutcome, type LinkOutcome } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import { type Journal, type PageName, readRecord } from "../../../lake/sync/journal/journal.js";
import { withPageHash } from "../../../lake/sync/link-checkpoint.js";
import { cleanPage, deliveredText } from "../../../streams/clean-page.js";
import { readPage } from "../../../streams/page-reading.js";
import { type PageFacts, pageFacts } from "../../../streams/transaction-page.js";
import { transactionStream } from "../../../streams/transactions.js";
import { pageFailure, tellOddities } from "./page-outcome.js";
import type { LinkToRead, SliceState } from "./slice-state.js";

/** Reads a link until it or the slice ends. */
export async function readLink(state: SliceState, begun: LinkToRead): Promise<void> {
  const { progress, outcome } = await new LinkReader(state, begun).run();
  if (progress.pages > 0) state.size = progress.size;
  const { link_id } = begun.record;
  const failure = state.note({ link_id }, outcome, progress.streak);
  const { pageSize } = state.input;
  const next = afterOutcome(progress, begun.record, outcome, pageSize, Date.now(), Math.random());
  await state.leaveLink(begun, { ...next, failure });
}

class LinkReader {
  readonly #journal: Journal;
  /** Of the first row of the last page; undefined where this slice has not read one. */
  #previousId: string | null | undefined;

  constructor(
    private readonly state: SliceState,
    private readonly begun: LinkToRead,
  ) {
    this.#journal = begun.progress.pages === 0 ? state.journal : state.longJournal;
  }

  async run(): Promise<{ readonly progress: LinkProgress; readonly outcome: LinkOutcome }> {
    let { progress } = this.begun;
    for (;;) {
      let page: ReadPage | "torn" | "open";
      try {
        page = await this.#nextPage(progress);
      } catch (error) {
        return { progress, outcome: pageFailure(error) };
      }
      if (page === "torn" || page === "open") return { progress, outcome: { kind: page } };
      const step = advance(progress, page);
      tellOddities(this.state, transactionStream, page.facts);
      this.#previousId = page.facts.firstId;
      if (step.outcome !== undefined) return { progress: step.progress, outcome: step.outcome };
      progress = step.progress;
    }
  }

  /**
   * A page that this slice, or a lost attempt of it, has staged; "open" without time for it, "torn" where the one before is
   * lost.
   */
  async #nextPage(progress: LinkProgress): Promise<ReadPage | "torn" | "open"> {
    const name = this.#nameOf(progress);
    const staged = await this.state.staged(name);
    if (staged === undefined && !this.state.slice.hasTime()) return "open";
    const { body } = staged ?? (await this.#request(progress));
    const facts = pageFacts(body);
    const sha256 = staged?.header.sha256 ?? hash("sha256", body);
    const repeats = await this.#addsNothing(progress, facts, body);
    if (repeats === "torn") return repeats;
    // A page that repeats is not loaded, so it needs no clean page.
    const cleaned =
      staged === undefined && facts.needsCleaning && !repeats
        ? cleanPage(transactionStream, readPage(transactionStream, body))
        : undefined;
    const { place } = staged ?? (await this.state.stage(this.#journal, name, body, { sha256, cleaned }));
    return { facts, body, sha256, place, repeats };
  }

  #request({ cursor, size }: LinkProgress) {
    const { link_id, obstacle } = this.begun.record;
    const query = { ...(cursor !== null && { cursor }), ...(size !== null && { size }) };
    const mayBeRefused = obstacle !== undefined;
    return this.state.slice.call(syncTransactions, { path: { link_id }, query }, { mayBeRefused });
  }

  /** After another cursor or committed state it is another page. */
  #nameOf({ attempt, pages, mode, cursor }: LinkProgress): PageName {
    const { link_id, base } = this.begun.record;
    const after = hash("sha256", JSON.stringify([base?.head ?? null, mode, cursor]));
    return {
      stream: transactionStream.name,
      owner: link_id,
      attempt,
      page: pages,
      after: after.slice(0, 16),
    };
  }

  /**
   * Whether a page repeats the one before it, or the last committed one (docs/inside/rules.md, "Sync rules"). Compares
   * whole pages only where their first rows agree.
   */
  async #addsNothing(progress: LinkProgress, facts: PageFacts, body: Buffer): Promise<boolean | "torn"> {
    if (facts.entries.every((count) => count === 0)) return false;
    if (progress.lastPage === null) {
      const committed = progress.mode === "full" ? null : (this.begun.record.base?.last_page_sha256 ?? null);
      return committed !== null && committed === deliveredSha256(body);
    }
    if (this.#previousId !== undefined && this.#previousId !== facts.firstId) return false;
    const { slice, input } = this.state;
    const before = await readRecord(slice.deps.lake.store, input.runId, progress.lastPage);
    // Lost in a power cut, perhaps after its rows were loaded: nobody knows whether they repeat.
    if (before === undefined) return "torn";
    if (!mayHold(before.body, facts.firstId)) return false;
    return deliveredSha256(before.body) === deliveredSha256(body);
  }
}

const PLAIN_ID = /^[\w.:@-]+$/;

/** Answers no only for ids that JSON can write in a single way. */
function mayHold(page: Buffer, id: string | null): boolean {
  return id === null || !PLAIN_ID.test(id) || page.includes(`"${id}"`);
}

interface ReadPage {
  readonly facts: PageFacts;
  readonly body: Buffer;
  readonly sha256: string;
  readonly place: Place;
  /** Then it adds nothing. */
  readonly repeats: boolean;
}

/** Hashes the raw text that a page delivered. */
export function deliveredSha256(body: Buffer): string {
  return hash("sha256", deliveredText(transactionStream, body.toString("utf8")) ?? "");
}

/** Adds a page to the progress; gives the outcome if the link ends with it. Pure. */
export function advance(
  before: LinkProgress,
  { facts, body, repeats, place, sha256 }: ReadPage,
): { progress: LinkProgress; outcome?: LinkOutcome } {
  const { next, hasMore } = facts;
  const [created = 0, updated = 0, removed = 0] = repeats ? [] : facts.entries;
  const problems = repeats ? [] : facts.problems;
  const bad = (list: string) => problems.filter((problem) => problem.list === list).length;
  const stuck = next === null || next === before.cursor;
  const cursorSha256 = next === null ? null : hash("sha256", next);
  const delivered = created + updated + removed;
  const idlePages = delivered > 0 ? 0 : (before.idlePages ?? 0) + 1;
  const hasRows = facts.entries.some((entries) => entries > 0);
  const progress: LinkProgress = {
    ...before,
    pages: before.pages + 1,
    cursor: next ?? before.cursor,
    lastNext: next ?? before.lastNext,
    cursorMark: movesMark(before.pages + 1) ? cursorSha256 : before.cursorMark,
    idlePages,
    entries: before.entries + delivered,
    staged: [...before.staged, { ...place, entries: delivered }],
    lastPage: place,
    created: before.created + created - bad("created"),
    updated: before.updated + updated - bad("updated"),
    removed: before.removed + removed - bad("removed"),
    quarantined: before.quarantined + problems.length,
    bytes: before.bytes + body.length,
    pagesSha256: withPageHash(before.pagesSha256, sha256),
    lastPageSha256: !hasMore && stuck && hasRows ? deliveredSha256(body) : null,
    streak: null,
    notBefore: 0,
  };
  // No URL can hold such a cursor: once committed, it would stop every later sync of the link.
  if (next !== null && hasLoneSurrogate(next)) {
    return {
      progress: before,
      outcome: { kind: "broken", reason: "schema cursor.next: has a lone surrogate" },
    };
  }
  if (!hasMore) return { progress, outcome: { kind: "complete" } };
  const loops = cursorSha256 !== null && cursorSha256 === before.cursorMark;
  if (stuck || loops || idlePages === MOST_IDLE_PAGES)
    return { progress, outcome: { kind: "broken", reason: "cursor_loop" } };
  return { progress };
}
