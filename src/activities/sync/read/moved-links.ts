import { mustBeAbout } from "../../../api/http/answer.js";
import { listBankLinks } from "../../../api/operations/bank-data.js";
import { type UserOutcome, type UserProgress, userFailure } from "../../../domain/sync/user-reading.js";
import { isForgotten } from "../../../lake/sync/forget/forgotten.js";
import type { FoundLink } from "../../../lake/sync/journal/report.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { readPage } from "../../../streams/page-reading.js";
import { listedLinks } from "./list-page.js";
import { pageFailure, type SliceState } from "./slice-state.js";

/**
 * Lets a link begin from nothing that was committed for another user whose list no longer has it, or has it as deleted: its
 * rows then come again, under the user who has it now. One that both list goes on where it was, and so does one whose
 * former owner can't be asked.
 */
export async function withMovedLinks(
  state: SliceState,
  links: readonly FoundLink[],
  progress: UserProgress,
): Promise<readonly FoundLink[] | UserOutcome> {
  const lists = new Map<string, ReadonlySet<string> | null>();
  const moved: FoundLink[] = [];
  for (const link of links) {
    const { base } = link;
    const isAsked = base !== null && base.cursor !== null && base.fp_id !== link.fp_id && !state.input.full;
    if (!isAsked || isForgotten(state.given.feed, base.fp_id)) {
      moved.push(link);
      continue;
    }
    const list = lists.get(base.fp_id) ?? (await listOf(state, base.fp_id, progress));
    if (list !== null && "kind" in list) return list;
    lists.set(base.fp_id, list);
    const isStill = list === null || list.has(link.link_id);
    moved.push(isStill ? link : { ...link, base: { ...base, cursor: null, last_page_sha256: null } });
  }
  return moved;
}

/** The links that a user has; null where nobody says. */
async function listOf(
  state: SliceState,
  fp_id: string,
  progress: UserProgress,
): Promise<ReadonlySet<string> | UserOutcome | null> {
  if (!state.slice.hasTime()) return { kind: "open" };
  const listing = { ...bankLinkStream, operation: listBankLinks };
  try {
    const reading = readPage(listing, (await state.slice.call(listBankLinks, { path: { fp_id } })).body);
    mustBeAbout(listBankLinks, { path: { fp_id } }, reading.envelope);
    if (reading.problems.length > 0) return null;
    const has = listedLinks(reading).filter(({ obstacle }) => obstacle !== "state deleted");
    return new Set(has.map(({ id }) => id));
  } catch (error) {
    const failure = pageFailure(error);
    switch (failure.kind) {
      case "gone":
        return new Set();
      case "transient": {
        const outcome = { ...failure, stream: bankLinkStream.name };
        return userFailure(progress, outcome, Date.now()) === undefined ? outcome : null;
      }
      case "open":
      case "unauthorized":
        return failure;
      default:
        return null;
    }
  }
}
