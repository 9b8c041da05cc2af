import { hash } from "node:crypto";
import { syncTransactions } from "../../../api/operations/transaction-sync.js";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import { afterOutcome, type LinkOutcome } from "../../../domain/sync/link-reading.js";
import { addCleaned, type Journal, readRecord } from "../../../lake/sync/journal/journal.js";
import type { PageName } from "../../../lake/sync/journal/record.js";
import { type FoundLink, generationOf, linkBase } from "../../../lake/sync/journal/report.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { readPage } from "../../../streams/page-reading.js";
import { type PageFacts, pageFacts } from "../../../streams/transaction-page.js";
import { transactionStream } from "../../../streams/transactions.js";
import { advance, deliveredSha256, type ReadPage } from "./page-advance.js";
import { pageFailure } from "./page-failure.js";
import { warnOfOddities } from "./page-warnings.js";
import type { BegunLink, SliceState } from "./slice-state.js";

/** Reads a link page by page by its cursor, until its end or that of the slice. */
export async function readLink(state: SliceState, begun: BegunLink): Promise<void> {
  const { progress, outcome } = await new LinkReader(state, begun).run();
  const { found } = begun;
  if (progress.pages > 0) state.size = progress.size;
  if (isQuiet(found, progress, outcome)) {
    const { pages, pagesSha256: pages_sha256 } = progress;
    state.endQuietLink({ ...found, status: "unchanged", reason: null, pages, pages_sha256 });
    return;
  }
  const ended = { ...begun, progress, link: await state.placeOf(begun) };
  // Only what is to be loaded is handed on in bulk: everything else is for the run to judge.
  const verdict = outcome.kind === "complete" && afterOutcome(progress, linkBase(found), outcome, 0, 0, 0);
  const isShort = begun.progress.pages === 0 && begun.progress.restarts === 0;
  if (verdict && verdict.kind === "publish" && isShort) state.finishLink(ended);
  else state.leaveLink(ended, outcome);
}

/** Whether nothing came and the cursor stayed: then there is nothing to commit. */
function isQuiet(found: FoundLink, progress: LinkProgress, outcome: LinkOutcome): boolean {
  const { base } = found;
  return (
    outcome.kind === "complete" &&
    base !== null &&
    progress.entries === 0 &&
    progress.restarts === 0 &&
    (progress.lastNext ?? base.cursor) === base.cursor &&
    generationOf(found, progress) === base.generation
  );
}

/** The reading of one link in one slice. */
class LinkReader {
  readonly #journal: Journal;
  /** Id of the first row of the page before the next one; undefined where it is not known in this slice. */
  #previousId: string | null | undefined;

  constructor(
    private readonly state: SliceState,
    private readonly begun: BegunLink,
  ) {
    this.#journal = begun.progress.pages === 0 ? state.journal : state.longJournal;
  }

  async run(): Promise<{ readonly progress: LinkProgress; readonly outcome: LinkOutcome }> {
    const { slice, input } = this.state;
    let { progress } = this.begun;
    while (slice.mayGoOn()) {
      let page: ReadPage | "torn";
      try {
        page = await this.#nextPage(progress);
      } catch (error) {
        return { progress, outcome: pageFailure(error) };
      }
      if (page === "torn") return { progress, outcome: { kind: "torn" } };
      const step = advance(progress, page);
      warnOfOddities(slice.deps, input.runId, transactionStream, page.facts);
      this.#previousId = page.facts.firstId;
      if (step.outcome !== undefined) return { progress: step.progress, outcome: step.outcome };
      progress = step.progress;
    }
    return { progress, outcome: { kind: "open" } };
  }

  /**
   * A page that a lost attempt of this slice staged, or a new one from the service, staged as it came; "torn" where
   * the page before it is lost.
   */
  async #nextPage(progress: LinkProgress): Promise<ReadPage | "torn"> {
    const name = this.#nameOf(progress);
    const found = await this.#found(name, progress);
    if (found !== undefined) return found;
    const { body } = await this.state.slice.call(syncTransactions, {
      path: { link_id: name.owner },
      query: {
        ...(progress.cursor !== null && { cursor: progress.cursor }),
        ...(progress.size !== null && { size: progress.size }),
      },
    });
    const facts = pageFacts(body);
    const sha256 = hash("sha256", body);
    const repeats = await this.#addsNothing(progress, facts, body);
    if (repeats === "torn") return repeats;
    // A page that repeats the one before is not loaded at all, and needs no clean page.
    const needsCleaning = !repeats && facts.needsCleaning;
    const cleaned = needsCleaning
      ? await addCleaned(this.#journal, cleanPage(transactionStream, readPage(transactionStream, body)))
      : undefined;
    if (cleaned !== undefined) this.state.hasBadRows(cleaned);
    const header = { kind: "page", page: name, ...(cleaned && { cleaned }) } as const;
    const place = await this.#journal.add(header, body, sha256);
    this.state.slice.countBytes(body.length);
    return { facts, body, sha256, place, repeats };
  }

  /** What the page answers is part of its name: of another cursor or another committed state, it is another page. */
  #nameOf({ attempt, pages, mode, cursor }: LinkProgress): PageName {
    const { link_id, base } = this.begun.found;
    const after = hash("sha256", JSON.stringify([base?.head ?? null, mode, cursor]));
    return {
      stream: transactionStream.name,
      owner: link_id,
      attempt,
      page: pages,
      after: after.slice(0, 16),
    };
  }

  async #found(name: PageName, progress: LinkProgress): Promise<ReadPage | "torn" | undefined> {
    const { slice, input, lost } = this.state;
    const place = lost.find(name);
    const record = place && (await readRecord(slice.deps.lake.store, input.runId, place));
    if (place === undefined || record === undefined) return undefined;
    slice.countFound();
    const { body, header } = record;
    if (header.cleaned !== undefined) this.state.hasBadRows(header.cleaned);
    const facts = pageFacts(body);
    const repeats = await this.#addsNothing(progress, facts, body);
    return repeats === "torn" ? repeats : { facts, body, sha256: header.sha256, place, repeats };
  }

  /**
   * Whether a page repeats the one before it, or, on the cursor that was committed, the last one committed:
   * then it adds nothing (docs/inside/architecture.md, "Sync rules"). Only where the first rows agree are the pages
   * cut out and compared.
   */
  async #addsNothing(progress: LinkProgress, facts: PageFacts, body: Buffer): Promise<boolean | "torn"> {
    if (facts.entries.every((count) => count === 0)) return false;
    if (progress.lastPage === null) {
      const committed = progress.mode === "full" ? null : (this.begun.found.base?.last_page_sha256 ?? null);
      return committed !== null && committed === deliveredSha256(body);
    }
    if (this.#previousId !== undefined && this.#previousId !== facts.firstId) return false;
    const { slice, input } = this.state;
    const before = await readRecord(slice.deps.lake.store, input.runId, progress.lastPage);
    // A power cut may have taken it, also after its rows were loaded: whether they come again can't be told then.
    if (before === undefined) return "torn";
    if (!mayHold(before.body, facts.firstId)) return false;
    return deliveredSha256(before.body) === deliveredSha256(body);
  }
}

const PLAIN_ID = /^[\w.:@-]+$/;

/** Whether a page may hold a row of this id: sure only of ids that JSON writes in one way. */
function mayHold(page: Buffer, id: string | null): boolean {
  return id === null || !PLAIN_ID.test(id) || page.includes(`"${id}"`);
}
