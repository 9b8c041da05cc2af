import type { RecordedRequest } from "../../../sandbox/index.js";

/** Something that was killed, and when the next process could ask the service (milliseconds since 1970). */
export interface Interruption {
  readonly resumedAt: number;
  /** The asking process lived on (Temporal alone was killed), so before and after can't be told apart. */
  readonly survived: boolean;
}

/** Times that a page may be asked for again after a kill that took pages: at once, and when its link begins again. */
const AGAIN_WHERE_FORGOTTEN = 2;

/**
 * Pages that were asked for more often than kills excuse, in words: a kill costs a link at most the one page
 * that was in flight, which is the last one that it had asked for. Where a kill also takes what was not synced
 * (`forgets`), it may cost every page of the update.
 */
export function auditCalls(
  requests: readonly RecordedRequest[],
  interruptions: readonly Interruption[],
  forgets = false,
): string[] {
  const byLink = new Map<string, RecordedRequest[]>();
  for (const request of requests) {
    if (request.operation !== "sync_transactions" || request.link === undefined) continue;
    const list = byLink.get(request.link) ?? [];
    list.push(request);
    byLink.set(request.link, list);
  }
  return [...byLink].flatMap(([link, list]) => auditLink(link, list, interruptions, forgets));
}

function auditLink(
  link: string,
  requests: readonly RecordedRequest[],
  interruptions: readonly Interruption[],
  forgets: boolean,
): string[] {
  const problems: string[] = [];
  const spent = new Map<string, number>();
  const last = new Map<string, number>();
  requests.forEach((request, index) => {
    const page = request.cursor ?? "the first page";
    const before = last.get(page);
    last.set(page, index);
    if (before === undefined) return;
    const earlier = requests[before] as RecordedRequest;
    const excuse = interruptions.findLastIndex(({ resumedAt, survived }) => {
      if (request.at < resumedAt) return false;
      return forgets || ((survived || earlier.at < resumedAt) && !tooOld(requests, before, resumedAt));
    });
    if (excuse === -1) {
      const since = interruptions.map(({ resumedAt }) => `${request.at - resumedAt} ms`).join(", ");
      problems.push(
        `calls: ${link} was asked for ${page} again without need, ${request.at - earlier.at} ms after the first ` +
          `time; interruptions were before it by ${since || "none"}`,
      );
      return;
    }
    const what = forgets ? `${excuse} ${page}` : `${excuse}`;
    const more = (spent.get(what) ?? 0) + 1;
    spent.set(what, more);
    if (!forgets && more > 1)
      problems.push(`calls: ${link} was asked for ${more} pages again after one kill`);
    if (forgets && more > AGAIN_WHERE_FORGOTTEN)
      problems.push(`calls: ${link} was asked for ${page} ${more} times again after one kill`);
  });
  return problems;
}

/** Whether a later page of the link had been asked for before the kill: then this one was staged. */
function tooOld(requests: readonly RecordedRequest[], index: number, resumedAt: number): boolean {
  const next = requests[index + 1];
  return next !== undefined && next.at < resumedAt && next.cursor !== requests[index]?.cursor;
}
