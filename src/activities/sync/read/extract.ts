import { createHash, hash } from "node:crypto";
import { syncTransactions } from "../../../api/operations/transaction-sync.js";
import { hasLoneSurrogate } from "../../../domain/service/transaction-values.js";
import { movesMark } from "../../../domain/sync/cursor-mark.js";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { type NamedFailure, namedFailures } from "../../../domain/waiting.js";
import { type PageName, pageSha256 } from "../../../lake/staging.js";
import { withPage } from "../../../lake/sync/link-checkpoint.js";
import { cleanPage, deliveredText } from "../../../streams/clean-page.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { readPage } from "../../../streams/page-reading.js";
import { type PageFacts, pageFacts } from "../../../streams/transaction-page.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { runSlice, type Slice } from "../../slice.js";
import { type GroupPlan, type GroupRef, type PlannedLink, plannedLink } from "../group-plan.js";
import { TornPageError } from "../load/page-check.js";
import { pageFailure } from "./page-failure.js";
import { warnOfOddities } from "./page-warnings.js";

interface ExtractInput extends GroupRef {
  readonly links: readonly LinkProgress[];
  /** Milliseconds after which no further page is asked for. */
  readonly budgetMs: number;
}

export interface ExtractedLink {
  readonly progress: LinkProgress;
  readonly outcome: LinkOutcome;
  /** Of the first links that failed and are tried again. */
  readonly failure?: NamedFailure;
}

interface ExtractResult {
  readonly links: readonly ExtractedLink[];
  readonly calls: number;
  /** Epoch milliseconds until which the service asked for no calls at all. */
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What the reading of one link needs and counts. */
interface Reader {
  readonly deps: Dependencies;
  readonly input: ExtractInput;
  readonly slice: Slice;
  readonly planned: PlannedLink;
  /** Id of the first row of the page before the next one; undefined where it is not known in this slice. */
  previousId: string | null | undefined;
}

/** Advances a slice of links, each page by page by its cursor (docs/architecture.md, "Extract"). */
export async function extract(deps: Dependencies, input: ExtractInput): Promise<ExtractResult> {
  const plan = await deps.lake.staging.document<GroupPlan>(input.runId, input.plan);
  const { results, calls } = await runSlice(deps, input, input.links, async (progress, slice) => {
    const planned = plannedLink(plan, progress.link);
    const reader: Reader = { deps, input, slice, planned, previousId: undefined };
    return readLink(reader, progress);
  });
  const at = Date.now();
  const links = namedFailures(results, ({ progress }) => ({
    link: plannedLink(plan, progress.link).link_id,
  }));
  for (const { progress, outcome } of results) {
    const { link_id } = plannedLink(plan, progress.link);
    deps.warnings.fares(input.runId, { link_id }, outcome, progress.streak, at);
  }
  return { links, calls, gateUntil: deps.api.gateUntil ?? null, at };
}

async function readLink(reader: Reader, start: LinkProgress): Promise<ExtractedLink> {
  let progress = start;
  while (reader.slice.mayGoOn()) {
    let page: ReadPage;
    let step: ReturnType<typeof advance>;
    try {
      page = await nextPage(reader, progress);
      step = advance(progress, page);
    } catch (error) {
      if (error instanceof TornPageError) return { progress, outcome: { kind: "torn" } };
      return { progress, outcome: pageFailure(error) };
    }
    warnOfOddities(reader.deps, reader.input.runId, transactionStream, page.facts);
    reader.previousId = page.facts.firstId;
    if (step.outcome !== undefined) return { progress: step.progress, outcome: step.outcome };
    progress = step.progress;
  }
  return { progress, outcome: { kind: "open" } };
}

function nameOf(reader: Reader, progress: LinkProgress, page: number): PageName {
  return {
    runId: reader.input.runId,
    stream: transactionStream.name,
    owner: reader.planned.link_id,
    attempt: progress.attempt,
    page,
  };
}

/** One page as it was staged. */
interface ReadPage {
  readonly facts: PageFacts;
  readonly body: Buffer;
  /** Whether it delivers again what came before it, and so adds nothing. */
  readonly repeats: boolean;
}

/** A page that a lost attempt of this activity staged, or a new one from the service, staged as it came. */
async function nextPage(reader: Reader, progress: LinkProgress): Promise<ReadPage> {
  const { deps, slice } = reader;
  const name = nameOf(reader, progress, progress.pages);
  const found = slice.repeated ? await deps.lake.staging.page(name) : undefined;
  if (found !== undefined) {
    const facts = wholePage(found.body);
    if (facts !== undefined) {
      slice.countFound();
      const page = {
        facts,
        body: found.body,
        repeats: await addsNothing(reader, progress, facts, found.body),
      };
      await stageCleanPage(reader, name, page);
      return page;
    }
  }
  const { body } = await slice.call(syncTransactions, {
    path: { link_id: reader.planned.link_id },
    query: {
      ...(progress.cursor !== null && { cursor: progress.cursor }),
      ...(progress.size !== null && { size: progress.size }),
    },
  });
  const facts = pageFacts(body);
  const page = { facts, body, repeats: await addsNothing(reader, progress, facts, body) };
  // The page comes last: where it is, its clean page is there too.
  await stageCleanPage(reader, name, page);
  await deps.lake.staging.putPage(name, body);
  slice.countBytes(body.length);
  return page;
}

/** A page that repeats the one before is not loaded at all, and needs no clean page. */
async function stageCleanPage(reader: Reader, name: PageName, page: ReadPage): Promise<void> {
  const { staging } = reader.deps.lake;
  if (page.repeats || !page.facts.needsCleaning) return;
  const sha256 = pageSha256(page.body);
  const clean = cleanPage(transactionStream, readPage(transactionStream, page.body));
  await staging.putCleanPage(name, sha256, clean);
}

function wholePage(body: Buffer): PageFacts | undefined {
  try {
    return pageFacts(body);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

/** Hash of what a page delivered, as its raw text. */
function deliveredSha256(body: Buffer): string {
  return createHash("sha256")
    .update(deliveredText(transactionStream, body.toString("utf8")) ?? "")
    .digest("hex");
}

/**
 * Whether a page repeats the one before it, or, on the cursor that was committed, the last one committed:
 * then it adds nothing (docs/architecture.md, "Sync rules"). Only where the first rows agree are the pages
 * cut out and compared.
 */
async function addsNothing(
  reader: Reader,
  progress: LinkProgress,
  facts: PageFacts,
  body: Buffer,
): Promise<boolean> {
  if (facts.entries.every((count) => count === 0)) return false;
  if (progress.pages === 0) {
    const committed = progress.mode === "full" ? null : (reader.planned.base?.last_page_sha256 ?? null);
    return committed !== null && committed === deliveredSha256(body);
  }
  if (reader.previousId !== undefined && reader.previousId !== facts.firstId) return false;
  const before = await reader.deps.lake.staging.body(nameOf(reader, progress, progress.pages - 1));
  // A power cut may have taken it, also after its rows were loaded: whether they come again can't be told then.
  if (before === undefined || !endsWhole(before)) throw new TornPageError(progress.link);
  if (!mayHold(before, facts.firstId)) return false;
  return deliveredSha256(before) === deliveredSha256(body);
}

/** Whether a page that was whole once ends as one: a power cut leaves nothing, zeros or the beginning. */
function endsWhole(page: Buffer): boolean {
  return page.subarray(-64).toString("latin1").trimEnd().endsWith("}");
}

const PLAIN_ID = /^[\w.:@-]+$/;

/** Whether a page may hold a row of this id: sure only of ids that JSON writes in one way. */
function mayHold(page: Buffer, id: string | null): boolean {
  return id === null || !PLAIN_ID.test(id) || page.includes(`"${id}"`);
}

/** One page further: what was counted, and what the envelope says of the way on. Pure. */
export function advance(
  before: LinkProgress,
  { facts, body, repeats }: ReadPage,
): { progress: LinkProgress; outcome?: LinkOutcome } {
  const { next, hasMore } = facts;
  const count = (at: number) => (repeats ? 0 : (facts.entries[at] ?? 0));
  const bad = (list: string) =>
    repeats ? 0 : facts.problems.filter((problem) => problem.list === list).length;
  const stuck = next === null || next === before.cursor;
  const cursorSha256 = next === null ? null : hash("sha256", next);
  const delivered = count(0) + count(1) + count(2);
  const progress: LinkProgress = {
    ...before,
    pages: before.pages + 1,
    cursor: next ?? before.cursor,
    lastNext: next ?? before.lastNext,
    cursorMark: movesMark(before.pages + 1) ? cursorSha256 : before.cursorMark,
    entries: before.entries + delivered,
    pageEntries: [...before.pageEntries, delivered],
    created: before.created + count(0) - bad("created"),
    updated: before.updated + count(1) - bad("updated"),
    removed: before.removed + count(2) - bad("removed"),
    quarantined: before.quarantined + (repeats ? 0 : facts.problems.length),
    bytes: before.bytes + body.length,
    pagesSha256: withPage(before.pagesSha256, body),
    lastPageSha256: !hasMore && stuck ? deliveredSha256(body) : null,
    streak: null,
    notBefore: 0,
  };
  // Committed, it would stop every later sync of the link: no address can hold it.
  if (next !== null && hasLoneSurrogate(next)) {
    return {
      progress: before,
      outcome: { kind: "broken", reason: "schema cursor.next: has a lone surrogate" },
    };
  }
  if (!hasMore) return { progress, outcome: { kind: "complete" } };
  const circles = cursorSha256 !== null && cursorSha256 === before.cursorMark;
  if (stuck || circles) return { progress, outcome: { kind: "broken", reason: "cursor_loop" } };
  return { progress };
}
